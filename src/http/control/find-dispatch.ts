import type { Dispatch } from "../../peers/dispatch.js";
import { NuncioError } from "../../shared/errors.js";
import type { ControlDeps } from "./deps.js";
import type { FoundTask } from "./find-task.js";
import { findTaskByHand } from "./find-task-by-hand.js";

/** A task that a peer works on, with what is known of that. */
export async function findDispatch(deps: ControlDeps, id: string): Promise<FoundTask & { dispatch: Dispatch }> {
  const found = await findTaskByHand(deps, id);
  const dispatch = await deps.peers.store.dispatch(found.tenant, id);
  if (dispatch === null) {
    throw new NuncioError("failed_precondition", `no peer works on task ${id}`, {
      reason: "NOT_OF_A_PEER",
      hint: `nuncio task show ${id}`,
    });
  }
  return { ...found, dispatch };
}
