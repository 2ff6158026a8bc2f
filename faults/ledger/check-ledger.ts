import type { Findings } from "../findings.js";
import type { LedgerFacts, TaskFacts } from "./ledger-facts.js";

const TERMINAL = ["completed", "failed", "rejected", "canceled"];

/** What has to hold of any ledger whose work has ended, whatever the work was. */
export function checkLedger({ tasks, submissions, deadLetters, waits }: LedgerFacts, findings: Findings): void {
  for (const task of tasks.values()) {
    checkEvents(task, findings);
    if (!TERMINAL.includes(task.state)) {
      findings.stuck(`${name(task)} is ${task.state}`);
      continue;
    }
    if (task.leaseOwner !== null) findings.stuck(`${name(task)} is ${task.state} and still leased`);
    checkOutcome(task, findings);
    checkPlace(task, tasks, findings);
  }
  if (waits > 0) findings.stuck(`${waits} waits for the end of a task, and all have ended`);

  const taken = new Set<string>();
  for (const { messageId, taskId } of submissions) {
    if (!tasks.has(taskId)) findings.lost(`${messageId} made ${taskId}, which is not there`);
    if (taken.has(messageId)) findings.doubled(`${messageId} was taken twice`);
    taken.add(messageId);
  }
  for (const id of deadLetters)
    if (tasks.get(id)?.state !== "failed") findings.doubled(`${id} is a dead letter and ${tasks.get(id)?.state}`);
}

function checkEvents(task: TaskFacts, findings: Findings): void {
  const { events, seq } = task;
  for (const [index, event] of events.entries()) {
    if (event.seq === index + 1) continue;
    findings.lost(`${name(task)}: event ${event.seq} stands at ${index + 1}`);
    break;
  }
  if (seq !== events.length) findings.lost(`${name(task)} counts ${seq} events, and has ${events.length}`);
  if (events[0]?.type !== "message") findings.lost(`${name(task)} does not begin with the message that made it`);
}

/** One outcome, and nothing after it; and attempts that count what was lost. */
function checkOutcome(task: TaskFacts, findings: Findings): void {
  const outcomes = task.events.filter(({ state = "" }) => TERMINAL.includes(state));
  if (outcomes.length > 1) findings.doubled(`${name(task)} has ${outcomes.length} outcomes`);
  const [outcome] = outcomes;
  if (outcome?.state !== task.state) findings.lost(`${name(task)} is ${task.state}, its events say ${outcome?.state}`);
  if (outcome !== undefined && outcome.seq !== task.seq) findings.doubled(`${name(task)} went on after its outcome`);

  // A task that comes back from waiting goes on with the attempt that it had.
  const statuses = task.events.filter(({ type }) => type === "status");
  const lost = statuses.filter(({ state }, at) => state === "pending" && statuses[at - 1]?.state !== "waiting").length;
  // One that was canceled may have been so before its next attempt began.
  const possible = task.state === "canceled" ? [lost, lost + 1] : [lost + 1];
  if (!possible.includes(task.attempt))
    findings.doubled(`${name(task)} counts ${task.attempt} attempts, of which ${lost} came to nothing`);
}

function checkPlace(task: TaskFacts, tasks: LedgerFacts["tasks"], findings: Findings): void {
  if (task.parentId === null) return;
  const parent = tasks.get(task.parentId);
  if (parent === undefined) findings.lost(`${name(task)} has a parent ${task.parentId}, which is not there`);
  else if (parent.rootId !== task.rootId || parent.hop + 1 !== task.hop)
    findings.lost(`${name(task)} does not stand below its parent: ${task.rootId}, ${task.hop}`);
}

export const name = ({ id, persona, text }: TaskFacts): string => `${id} (${persona}: ${text})`;
