import { durationText } from "../shared/duration.js";
import { APPROVE, type Approval } from "./approval-ledger.js";
import type { QueueFacts } from "./ledger.js";
import type { Task } from "./task.js";
import { isTerminal } from "./task-state.js";

/** What the worker of this process knows and the ledger doesn't. */
export interface WorkerFacts {
  /** The daemon is shutting down and claims nothing new. */
  draining: boolean;
  /** Slots of the whole process. */
  slots: { used: number; total: number };
  /** Slots of the task's persona; null when this process does not host it. */
  persona: { used: number; total: number } | null;
  /** Agents outside that the task waits for; after a restart they are known again when they are looked at. */
  outside: readonly string[];
}

/**
 * One sentence that says why an unfinished task is not further along, and what would move it; null for a task that has
 * ended. Where several things hold a task back, the one that gives way last is named.
 */
export function why(facts: QueueFacts, worker: WorkerFacts, now: number): string | null {
  const { task } = facts;
  if (isTerminal(task.state)) return null;
  switch (task.state) {
    case "pending":
      return whyPending(facts, worker, now);
    case "claimed":
    case "processing":
      return whyRunning(facts, now);
    default:
      return whyWaiting(facts, worker, now);
  }
}

function whyPending({ task, maxAttempts, behind, ahead }: QueueFacts, worker: WorkerFacts, now: number): string {
  if (worker.draining)
    return "Queued: the daemon is shutting down and starts nothing new; it goes on after the next start.";
  if (worker.persona === null) {
    return `Queued: persona ${task.persona} is not loaded; add it to the configuration and run \`nuncio reload\`, or end the task with \`nuncio task cancel ${task.id}\`.`;
  }
  if (task.runAt > now) {
    const start = `starts in ${durationText(task.runAt - now)}`;
    if (task.attempt === 0) return `Queued: the first attempt ${start}.`;
    return `Waiting after a failed attempt: attempt ${task.attempt + 1} of ${maxAttempts} ${start}.`;
  }
  if (behind !== null) {
    return `Queued behind task ${behind.id} (${stateOf(behind)}) of the same context, whose tasks run one after another.`;
  }
  if (worker.persona.used >= worker.persona.total) {
    return `Queued: ${slotsInUse(worker.persona.total, `persona ${task.persona}`)} (maxConcurrent)${olderFirst(ahead)}.`;
  }
  if (worker.slots.used >= worker.slots.total) {
    return `Queued: ${slotsInUse(worker.slots.total, "the daemon")} (queue.concurrency)${olderFirst(ahead)}.`;
  }
  if (ahead > 0) return `Queued behind ${olderTasks(ahead)} of persona ${task.persona}.`;
  return "Queued: a free slot takes it at once.";
}

function whyRunning({ task, maxAttempts, leaseUntil }: QueueFacts, now: number): string {
  const attempt = `attempt ${task.attempt} of ${maxAttempts}`;
  if (leaseUntil !== null && leaseUntil <= now) {
    const since = durationText(now - leaseUntil);
    return `Its worker has not been heard of: the lease of ${attempt} ended ${since} ago, and the task is about to be taken back.`;
  }
  const lease = leaseUntil === null ? "" : `, under a lease for another ${durationText(leaseUntil - now)}`;
  if (task.state === "claimed") return `Starting: ${attempt} has been claimed${lease}.`;
  return `Running: ${attempt}, last progress ${durationText(now - task.updatedAt)} ago${lease}.`;
}

function whyWaiting({ task, awaited, wakeAt, approvals }: QueueFacts, { outside }: WorkerFacts, now: number): string {
  const command = `\`nuncio task answer ${task.id} "…"\``;
  const whose = task.askingChildId === null ? "" : ` to delegated task ${task.askingChildId}`;
  switch (task.waitingFor) {
    case "input":
      return `Waiting for an answer${whose}: ${command}.`;
    case "auth":
      return `Waiting for credentials or a permission${whose}: ${command}.`;
    case "approval":
      return `Waiting for the operator${toDecide(approvals, now)}.`;
    default: {
      const limit = wakeAt === null ? "" : `, for another ${durationText(wakeAt - now)} at most`;
      if (awaited.length === 0 && wakeAt === null)
        return "Waiting for delegated work that has ended; it goes on at once.";
      if (awaited.length === 0) {
        const left = durationText((wakeAt ?? now) - now);
        return `Waiting for ${agentsAt(outside)}; it looks again in ${left}.`;
      }
      const first = awaited.slice(0, 3).map(named).join(", ");
      const rest = awaited.length > 3 ? ` and ${awaited.length - 3} more` : "";
      const replies = awaited.length === 1 ? "the reply of" : `the replies of ${awaited.length} delegated tasks:`;
      const decision = approvals.length === 0 ? "" : ` The operator has${toDecide(approvals, now)}.`;
      return `Waiting for ${replies} ${first}${rest}${limit}.${decision}`;
    }
  }
}

/** Who is not one of our tasks: an agent that was called, or, for a workflow, a persona that takes no more for now. */
function agentsAt([first, ...others]: readonly string[]): string {
  if (first === undefined) return "a persona that is busy (a2a.maxConcurrentPerTarget), or for an agent outside";
  return `the agent at ${first}${others.length === 0 ? "" : ` and ${others.length} more`}`;
}

/** The oldest of what waits for the operator, and the commands that decide it. */
function toDecide(approvals: readonly Approval[], now: number): string {
  const [first] = approvals;
  if (first === undefined) return "";
  const what = first.tool === APPROVE ? "" : ` a call of ${first.tool}`;
  const more = approvals.length > 1 ? ` (and ${approvals.length - 1} more)` : "";
  const left = durationText(first.expiresAt - now);
  const commands = `\`nuncio approval show ${first.id}\`, then \`nuncio approval approve ${first.id}\` or \`nuncio approval deny ${first.id}\``;
  return ` to approve${what}${more}, for another ${left}: ${commands}`;
}

const named = (task: Task): string => `${task.persona} (task ${task.id}, ${stateOf(task)})`;

const stateOf = (task: Task): string =>
  task.state === "waiting" && task.waitingFor !== null ? `waiting for ${task.waitingFor}` : task.state;

const slotsInUse = (total: number, whose: string): string =>
  total === 1 ? `the only slot of ${whose} is in use` : `all ${total} slots of ${whose} are in use`;

const olderFirst = (ahead: number): string =>
  ahead === 0 ? "" : `; ${olderTasks(ahead)} of the persona ${ahead === 1 ? "comes" : "come"} first`;

/** The ledger stops counting at 1000. */
const olderTasks = (ahead: number): string =>
  ahead >= 1000 ? "1000 or more older tasks" : `${ahead} older task${ahead === 1 ? "" : "s"}`;
