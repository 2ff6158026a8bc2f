import type { NuncioError } from "../shared/errors.js";
import type { Approval, ApprovalInbox, ApprovalLedger, NewApproval } from "./approval-ledger.js";
import type { JournalStep } from "./journal.js";
import type { Artifact, Message } from "./message.js";
import type { NewPush, PushKey, PushLedger, PushQueue } from "./push-ledger.js";
import type { RetentionLedger } from "./retention-ledger.js";
import type { Task, TaskSnapshot, Trigger } from "./task.js";
import type { TaskEvent, TaskFact } from "./task-event.js";
import type { TaskState } from "./task-state.js";

/**
 * The port of the ledger, which is the queue, the task store and the event log in one.
 *
 * Every method of a writer is one atomic command, given as data; it is durable when its promise resolves, and nothing
 * of it has happened when the promise rejects. Methods of a reader see only what is durable.
 */
export interface TaskLedger {
  /** Everything of one tenant: the only way to a task for whoever acts for a caller. */
  forTenant(tenant: string): TenantLedger;
  /** For claims, recovery, retention and the operator: sees all tenants. */
  readonly system: SystemLedger;
  /** Called after each commit, in commit order, never before. Returns how to stop. */
  onChange(listener: (change: TaskChange) => void): () => void;
  /**
   * Called when changes of other nodes may have been missed, and from time to time in case nobody noticed: whoever waits
   * for news looks again. Never where there is one process. Returns how to stop.
   */
  onMissed(listener: () => void): () => void;
  /** Tells the other nodes that a run has stopped here whose task another node had ended. */
  announceStopped(task: TaskKey): void;
  /** Called with what other nodes announce so. Returns how to stop. */
  onStopped(listener: (task: TaskKey) => void): () => void;
  /** Called when this process has made a push subscription, or one has become due again. Returns how to stop. */
  onPush(listener: (push: PushKey) => void): () => void;
  close(): Promise<void>;
}

/**
 * Reason of an `unavailable` error when the connection to the database was lost in the commit, and it could not be asked
 * since: the command is durable, or nothing of it has happened. Repeating a submission is safe; a record of an attempt is not.
 */
export const OUTCOME_UNKNOWN = "OUTCOME_UNKNOWN";

/** What a commit did to one task. `events` are those that it appended, and may be absent when it came from another node. */
export interface TaskChange {
  tenant: string;
  taskId: string;
  /** The outermost ancestor; may be absent when the change came from another node. */
  rootId?: string;
  persona: string;
  state: TaskState;
  seq: number;
  /** The task is pending and nothing of its own context stands before it: a worker may claim it at `runAt`. */
  runnable: boolean;
  runAt: number;
  /** When a waiting task gives up waiting, ms. */
  wakeAt: number | null;
  events?: readonly TaskEvent[];
}

export interface TenantLedger {
  submit(command: Submit): Promise<Submitted>;
  /** A follow-up for a task that waits for input or auth, or relays such a wait; it goes to the task that asked. */
  answer(command: Answer): Promise<Answered>;
  cancel(command: Cancel): Promise<Canceled>;
  /** A new task that does the work of a dead letter again, once. */
  retryDead(command: RetryDead): Promise<Submitted>;

  task(id: string): Promise<Task | null>;
  /** The task as it stands now, or as it stood at event `atSeq`; when that has been compacted, as it stands now. */
  snapshot(id: string, atSeq?: number): Promise<TaskSnapshot | null>;
  /** Events with a number above `after`, in order, at most `limit` (default 1000); of a compacted task without artifacts. */
  events(id: string, after: number, limit?: number): Promise<TaskEvent[]>;
  list(query: TaskQuery): Promise<Page<Task>>;
  /** A page of one agent's tasks as its callers are shown them, the latest status first. */
  listed(query: ListedQuery): Promise<ListedPage>;
  /** Puts a task into the lists whose caller was to be answered by a Message, and is shown the task in its place. */
  enlist(command: { taskId: string; now: number }): Promise<void>;
  children(id: string): Promise<Task[]>;
  /** Model tokens, input and output, that a task from outside and everything delegated from it have used so far. */
  tokensOfRoot(rootId: string): Promise<number>;
  /** Snapshots of earlier finished tasks of a context with one persona and principal, oldest first: a model's own past. */
  conversation(query: ConversationQuery): Promise<TaskSnapshot[]>;
  readonly push: PushLedger;
  readonly approvals: ApprovalLedger;
}

export interface SystemLedger {
  claim(command: ClaimNext): Promise<Claimed>;
  /** Records progress of a running attempt. */
  append(command: Append): Promise<{ seq: number }>;
  /** Ends an attempt. */
  settle(command: Settle): Promise<Settled>;
  /** Extends leases; answers with the ids of tasks that are no longer under theirs. */
  heartbeat(command: Heartbeat): Promise<{ lost: string[] }>;
  /** Wakes parked tasks whose time is up, each in a transaction of its own. */
  wakeDue(command: WakeDue): Promise<{ woken: number; nextAt: number | null }>;
  /** Takes unfinished work from workers that are gone, each task in a transaction of its own. */
  recover(command: Recover): Promise<{ requeued: number; failed: number }>;

  /** At which event each of these tasks stands; those that are not there are left out. */
  standing(tasks: readonly TaskKey[]): Promise<(TaskKey & { seq: number })[]>;
  list(query: TaskQuery & { tenant?: string }): Promise<Page<Task>>;
  /** Which tenant a task belongs to, for the operator's commands that name only an id. */
  tenantOf(taskId: string): Promise<string | null>;
  /** All dead letters, newest first, or the one of a task. */
  deadLetters(query: { limit: number; cursor?: string; taskId?: string }): Promise<Page<DeadLetter>>;
  /** Takes one dead letter, or all, off the list; the failed tasks stay. */
  purgeDead(command: { taskId?: string }): Promise<{ purged: number }>;
  counts(): Promise<TaskCounts>;
  queueFacts(tenant: string, id: string): Promise<QueueFacts | null>;
  readonly retention: RetentionLedger;
  readonly push: PushQueue;
  readonly approvals: ApprovalInbox;
}

export interface TaskKey {
  tenant: string;
  taskId: string;
}

/** Proof that a worker owns a task. A write with a lease that is no longer the current one fails with `lease_lost`. */
export interface Lease {
  tenant: string;
  taskId: string;
  owner: string;
  /** Rises with each claim, so that a late worker with the same owner name is also refused. */
  fence: number;
}

/** What a submitter may offer when it has a free slot: the task is claimed in the transaction that creates it. */
export interface ClaimOffer {
  owner: string;
  /** How long the lease lasts unless a heartbeat extends it, by the ledger's own clock. */
  leaseMs: number;
}

/** What the run of a new task will say and come to: with the offer of a slot it is recorded in place of a claim. */
export interface Foreseen {
  facts: readonly TaskFact[];
  outcome:
    | { type: "completed"; message?: Message }
    | { type: "failed"; message: Message }
    | { type: "rejected"; message: Message };
  artifacts: readonly Artifact[];
}

export interface Submit {
  /** Given for derived children and replays; a new one otherwise. */
  id?: string;
  contextId: string;
  persona: string;
  principal: string;
  trigger: Trigger;
  message: Message;
  /** SHA-256 of what makes two submissions the same (the canonical message). */
  bodyHash: string;
  now: number;
  maxAttempts: number;
  /** Lane of strictly ordered tasks; null for delegated ones, since their parent is still running in the context. */
  lane: string | null;
  /** The context was made for this task: nobody can stand before it in its lane. */
  newContext?: boolean;
  /** Delegations that the caller has behind it, elsewhere; 0 when absent. A delegated task takes its parent's count. */
  hop?: number;
  delegation?: Delegation;
  /**
   * Its caller gets a Message and is shown no task: lists leave it out, unless it comes to something else than completing
   * with a message, or is shown after all (`enlist`).
   */
  answeredByMessage?: boolean;
  offer?: ClaimOffer;
  /** Taken only together with the offer: then the task has ended when it is there. */
  foreseen?: Foreseen;
  /** Refused with `limit_reached`, retryable, when the task would be pending and its queue holds so many. */
  bounds?: QueueBounds;
  /** Made together with the task: tells of everything behind the message itself. */
  push?: NewPush;
}

/** How many tasks may be pending before submissions are refused. */
export interface QueueBounds {
  perPersona: number;
  perTenant: number;
}

export interface Delegation {
  /** The running attempt that delegates; what it has buffered is recorded in the same transaction. */
  from: AttemptRecord;
  rootId: string;
  hop: number;
  maxConcurrentPerTarget: number;
  maxChildrenPerTask: number;
  maxTasksPerRoot: number;
  maxTokensPerRoot: number;
  /** Parks the parent until the child has ended, or `until`, in the same transaction. */
  park?: { until: number };
}

export interface Submitted {
  task: Task;
  /** False when the submission repeated an earlier one: `task` is the one that exists. */
  created: boolean;
  /** Set when the offer was taken. */
  claim?: Claim;
  /** Set in place of the claim when what was foreseen has been recorded: the task as it ended. */
  ended?: TaskSnapshot;
  /** True when the delegating attempt has ended parked. */
  parked?: boolean;
}

/** A task that a worker now owns, with all that a run needs. */
export interface Claim {
  lease: Lease;
  snapshot: TaskSnapshot;
  journal: JournalStep[];
  maxAttempts: number;
}

export interface ClaimNext extends ClaimOffer {
  now: number;
  /**
   * No backoff reaches beyond this time, ms. What is to run later was given its time by a clock that has been set back
   * since, and may run at once.
   */
  latestRunAt: number;
  limit: number;
  /** Personas that may be claimed for, each at most `free` times. */
  personas: readonly { tenant: string; name: string; free: number }[];
}

export interface Claimed {
  claims: Claim[];
  /** Personas for which a runnable task remains. */
  more: { tenant: string; name: string }[];
  /** Personas whose next task waits for its time, ms. */
  due: { tenant: string; name: string; at: number }[];
  /** Tasks that a newer version has written to: they stay in the queue, until `latestRunAt`. */
  unreadable: { tenant: string; taskId: string; error: NuncioError }[];
}

/** What an attempt has to record: facts, and journal steps, at once or not at all. */
export interface AttemptRecord {
  lease: Lease;
  now: number;
  /** Set on the first record of an attempt: it moves from claimed to processing. */
  start: boolean;
  facts: readonly TaskFact[];
  steps: readonly JournalStep[];
  inputTokens: number;
  outputTokens: number;
}

export type Append = AttemptRecord;

export type Settlement =
  | { type: "completed"; message?: Message }
  | { type: "failed"; message: Message; retryable: boolean; retryAt: number }
  | { type: "rejected"; message: Message }
  /** Ends the turn with a question to the caller. */
  | { type: "asked"; waitingFor: "input" | "auth"; message: Message }
  /**
   * Waits until the operator has decided one of these, one of the delegated tasks has ended, or `until`; not at all when
   * something of this has happened already.
   */
  | {
      type: "approval";
      requests: readonly NewApproval[];
      taskIds?: readonly string[];
      until: number;
      message: Message;
    }
  /** Waits for delegated tasks until one of them has ended, or `until`. */
  | { type: "awaiting"; taskIds: readonly string[]; until: number }
  /** The daemon drains: the task goes back at once and the attempt does not count. */
  | { type: "handed_back" };

export interface Settle extends AttemptRecord {
  outcome: Settlement;
  /** All artifacts of the task, materialized; stored with a terminal outcome. */
  artifacts: readonly Artifact[];
  /** For the task that awaits this one: claimed in the same transaction when the outcome wakes it. */
  offer?: ClaimOffer;
}

export interface Settled {
  state: TaskState;
  seq: number;
  /** The parent that this outcome woke and the offer claimed. */
  claim?: Claim;
}

export interface Answer {
  taskId: string;
  message: Message;
  principal: string;
  bodyHash: string;
  now: number;
  /** Set together with the answer, on the task that is addressed; it may have so many. */
  push?: { push: NewPush; atMost: number };
}

export interface Answered {
  /** The task that was addressed. */
  task: Task;
  /** The task that got the message: the addressed one, or its descendant that asked. */
  answeredId: string;
  /** False when the same message had been taken before. */
  accepted: boolean;
}

export interface Cancel {
  taskId: string;
  reason: string;
  now: number;
  /** What waits for an approval is canceled, too, and the approval is denied with the reason. Refused to anybody else. */
  operator?: boolean;
}

export interface Canceled {
  task: Task;
  /** Every task that was canceled, the addressed one first. */
  canceledIds: string[];
  /** Those of them that an attempt was running. */
  runningIds: string[];
}

export interface RetryDead {
  taskId: string;
  newId: string;
  now: number;
}

export interface Heartbeat {
  leases: readonly Lease[];
  leaseMs: number;
  now: number;
}

export interface WakeDue {
  now: number;
  limit: number;
}

export interface Recover {
  now: number;
  limit: number;
  /** Who asks. */
  owner: string;
  /** Ids of the tasks that run there: their attempts are never taken, whatever the clock says. */
  running: ReadonlySet<string>;
  /** Take work from every other owner, whatever its lease says, and only that. Only where no other process can be alive. */
  alone: boolean;
}

export interface TaskQuery {
  state?: TaskState;
  persona?: string;
  principal?: string;
  contextId?: string;
  limit: number;
  cursor?: string;
}

/**
 * The lists of an agent hold what its callers have been shown as tasks, in the order of (time of the status, id), the
 * greatest first: during a walk a task that does not change appears exactly once, and one that does moves to the front.
 */
export interface ListedQuery {
  persona: string;
  /** Whose tasks; everybody's when absent. */
  principal?: string;
  contextId?: string;
  /** Only tasks that stand in one of these ways. */
  standings?: readonly Standing[];
  /** Only tasks whose status is of this time (ms) or later. */
  statusSince?: number;
  /** Only what comes behind. */
  after?: ListPosition;
  limit: number;
  /** Messages of its history that come with each task, the last ones; at most 100. */
  historyLength: number;
  /** Whether artifacts are read, too; tasks come without otherwise. */
  artifacts: boolean;
  /** The page ends with the task with which it comes to so much JSON, though there are more. */
  mostCharacters: number;
  now: number;
}

/** What the state of a task depends on for its caller. */
export type Standing = Pick<TaskSnapshot, "state" | "waitingFor" | "started">;

export interface ListPosition {
  /** ms */
  statusAt: number;
  id: string;
}

export interface ListedPage {
  tasks: TaskSnapshot[];
  /** Where the next page begins; null when there is none. */
  next: ListPosition | null;
  /** How many tasks there are for this query, on all of its pages. */
  total: number;
}

export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

export interface ConversationQuery {
  contextId: string;
  persona: string;
  principal: string;
  /** The task that asks; only earlier ones are returned. */
  before: string;
  limit: number;
}

export interface DeadLetter {
  task: Task;
  reason: string;
  at: number;
  /** The task that does the work again. */
  retriedAs: string | null;
}

export interface TaskCounts {
  pending: number;
  processing: number;
  waiting: number;
  dead: number;
}

/** What the sentence about a task that is not moving is computed from. */
export interface QueueFacts {
  task: Task;
  maxAttempts: number;
  leaseOwner: string | null;
  leaseUntil: number | null;
  wakeAt: number | null;
  /** The task of the same context that stands before it. */
  behind: Task | null;
  /** Runnable tasks of the persona that are older. */
  ahead: number;
  /** Unfinished tasks that it awaits. */
  awaited: Task[];
  /** What the operator has to decide before it goes on: asked by itself, or by those that it awaits; at most 20. */
  approvals: Approval[];
}
