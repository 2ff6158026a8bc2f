import { NuncioError } from "../../shared/errors.js";
import type { DeadLetter, TaskLedger } from "../../tasks/ledger.js";
import type { DeadLetterJson } from "./schema/dead-letter.js";
import { toTimestamp } from "./schema/fields.js";
import { summaryOf } from "./task-json.js";

export const deadLetterOf = (letter: DeadLetter): DeadLetterJson => ({
  ...summaryOf(letter.task),
  ...lettering(letter),
});

/** What the dead-letter list knows beyond the task. */
export const lettering = ({ reason, at, retriedAs }: DeadLetter) => ({ reason, deadAt: toTimestamp(at), retriedAs });

export async function findDeadLetter(ledger: TaskLedger, id: string): Promise<DeadLetter> {
  const page = await ledger.system.deadLetters({ taskId: id, limit: 1 });
  const letter = page.items.find(({ task }) => task.id === id);
  if (letter !== undefined) return letter;
  throw new NuncioError("not_found", `there is no dead letter ${JSON.stringify(id)}`, {
    hint: "`nuncio dlq list` shows those that there are, `nuncio task show ID` any task",
  });
}
