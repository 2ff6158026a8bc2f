import { NuncioError } from "../../shared/errors.js";
import type { ControlDeps } from "./deps.js";
import { type FoundTask, findTask } from "./find-task.js";

/** The same for an id that somebody may have taken from the wrong line: the one of a planned task is no task's. */
export async function findTaskByHand(deps: Pick<ControlDeps, "ledger" | "planned">, id: string): Promise<FoundTask> {
  try {
    return await findTask(deps.ledger, id);
  } catch (error) {
    if (NuncioError.is(error, "not_found") && (await (await deps.planned()).exists(id))) throw isPlanned(id);
    throw error;
  }
}

const isPlanned = (id: string): NuncioError =>
  new NuncioError("not_found", `${id} is a planned task, which is no task itself: its runs are`, {
    hint: `nuncio team list ${id}`,
  });
