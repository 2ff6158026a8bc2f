import type { TaskFact } from "../../../tasks/task-event.js";
import { isTerminal } from "../../../tasks/task-state.js";
import { one, type Steps } from "../../sql/command.js";
import { sql } from "../../sql/statement.js";
import type { TaskRow } from "../task-row.js";
import { noteLateEntry } from "./departures.js";
import { SETTLED_MS } from "./totals.js";

const show = sql<Pick<TaskRow, "tenant" | "persona" | "principal" | "created_at" | "unlisted">>(`UPDATE tasks
  SET unlisted = 0 WHERE tenant = :tenant AND id = :id AND unlisted = 1
  RETURNING tenant, persona, principal, created_at, unlisted`);

/**
 * The caller that was to be answered by a Message is shown the task: from here on it stands in the lists. No list has
 * counted the tasks of the last minute for good, so that only what is older has to be noted.
 */
export function* enlist(tenant: string, id: string, now: number): Steps<void> {
  const shown = yield* one(show, { tenant, id });
  if (shown !== undefined && shown.created_at <= now - SETTLED_MS / 2) yield* noteLateEntry(shown);
}

/** A Message is the answer only where the task completes with one; in every other state that the caller waits for it gets the task. */
export const showsTask = (fact: TaskFact): boolean =>
  fact.type === "status" &&
  (fact.state === "completed" ? fact.message === undefined : isTerminal(fact.state) || asks(fact.waitingFor));

const asks = (waitingFor: string | undefined): boolean => waitingFor === "input" || waitingFor === "auth";
