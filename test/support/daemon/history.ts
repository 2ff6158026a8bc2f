import type { TaskSummary } from "../../../src/http/control/schema/task.js";
import type { TaskEventJson } from "../../../src/http/control/schema/task-event.js";
import { isTerminal } from "../../../src/tasks/task-state.js";

type StatusJson = TaskEventJson & { type: "status" };

/** What is wrong with the events of a task that has ended: nothing, in a ledger that keeps its word. */
export function faultsOf(task: TaskSummary, events: readonly TaskEventJson[]): string[] {
  const faults: string[] = [];
  const fault = (text: string) => faults.push(`task ${task.id} (${task.persona}): ${text}`);

  for (const [index, { seq }] of events.entries()) if (seq !== index + 1) fault(`event ${seq} stands at ${index + 1}`);
  if (events[0]?.type !== "message") fault("its first event is not the message that made it");

  const statuses = events.filter((event): event is StatusJson => event.type === "status");
  const outcomes = statuses.filter(({ state }) => isTerminal(state));
  if (outcomes.length !== 1) fault(`${outcomes.length} outcomes: ${outcomes.map(({ state }) => state).join()}`);
  if (events.at(-1) !== outcomes[0]) fault("its outcome is not its last event");
  if (outcomes[0]?.state !== task.state) fault(`it is ${task.state}, and its outcome was ${outcomes[0]?.state}`);

  const lost = lostAttempts(statuses);
  // One that was canceled may have been so before its next attempt began.
  const possible = task.state === "canceled" ? [lost, lost + 1] : [lost + 1];
  if (!possible.includes(task.attempt)) fault(`it counts ${task.attempt} attempts, of which ${lost} came to nothing`);
  return faults;
}

/**
 * Attempts that failed or were interrupted, as the events tell. A task that comes back from waiting goes on with the
 * attempt that it had.
 */
function lostAttempts(statuses: readonly StatusJson[]): number {
  return statuses.filter(({ state }, at) => state === "pending" && statuses[at - 1]?.state !== "waiting").length;
}
