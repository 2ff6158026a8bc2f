import type { TaskKey } from "./ledger.js";
import type { TaskState } from "./task-state.js";

/**
 * What the ledger offers to those who take old things out of it. Each look is bounded in what it reads, each command is
 * atomic and touches one tree, one task or a few keys; any number of nodes may do the same at once.
 *
 * What is old is found by the ids of tasks, which begin with the time at which they were made: nothing can have ended
 * before it was made, so that a walk from the oldest on stops where it cannot find anything any more.
 */
export interface RetentionLedger {
  /** Tasks that were made before a time, tenant by tenant, the oldest first. */
  oldTasks(query: Walk<TaskKey>): Promise<Walked<OldTask, TaskKey>>;
  /** Takes a task from outside, with everything that was delegated from it, out of the ledger: all of it or nothing. */
  purgeTree(command: PurgeTree): Promise<Purged>;
  /**
   * Deletes the artifact events of a task that has ended; what it made stands in its row. `more` when there are further
   * ones: from the first command on they are no longer relied on.
   */
  compact(command: TaskKey): Promise<{ compacted: boolean; more: boolean }>;
  /** Tasks with a journal that were made before a time; of those that have ended, when. */
  oldJournals(query: Walk<TaskKey>): Promise<Walked<JournalOwner, TaskKey>>;
  /** Deletes the journal of a task if that has ended. */
  dropJournal(command: TaskKey): Promise<{ dropped: boolean }>;
  /** Forgets messages whose tasks have been purged, that and their submission before a time. */
  forgetMessages(query: Walk<MessageKey>): Promise<{ forgotten: number; next: MessageKey | null }>;
}

/** A piece of a walk: at most `limit` entries behind `after`; from the beginning when that is null. */
export interface Walk<Position> {
  after: Position | null;
  /** ms */
  before: number;
  limit: number;
}

export interface Walked<Entry, Position> {
  entries: Entry[];
  /** Where to go on; null at the end. */
  next: Position | null;
}

export interface OldTask extends TaskKey {
  parentId: string | null;
  /** When it ended, ms; null while it has not. */
  endedAt: number | null;
  /** Its artifact events are gone. */
  compacted: boolean;
}

export type JournalOwner = Pick<OldTask, "tenant" | "taskId" | "endedAt">;

export interface PurgeTree {
  tenant: string;
  rootId: string;
  /** Only when all of the tree had ended by then, ms. */
  endedBy: number;
  now: number;
}

export type Purged =
  | { type: "purged"; tasks: number }
  /** It is large: a part of what nobody reads any more is gone, and the same command goes on. */
  | { type: "more" }
  /** Because of this task of it. */
  | { type: "kept"; taskId: string; why: KeptBecause; state: TaskState }
  /** There is no such root. */
  | { type: "absent" };

/**
 * `dead` ones wait for the operator's decision. A `planned` one is a run of a planned task that is not complete, and of an
 * `uncertain` one a peer may still be at work.
 */
export type KeptBecause = "unfinished" | "young" | "dead" | "planned" | "uncertain";

export interface MessageKey {
  tenant: string;
  persona: string;
  principal: string;
  messageId: string;
}
