import type { Page, Submit, Submitted } from "../tasks/ledger.js";
import type { Assignee, Assignment } from "./assignment.js";
import type { CheckResult, Plan, PlannedTask, SnapshotFile } from "./plan.js";
import type { Profile } from "./profile.js";

/**
 * The port of planned tasks. Each method of a writer is one atomic command. Whoever changes a planned task names the
 * revision that was looked at: another one is a `conflict` (PLAN_REVISION_STALE), and nothing is changed.
 */
export interface PlanStore {
  create(command: CreatePlan): Promise<PlannedTask>;
  assign(command: Assign): Promise<{ plan: PlannedTask; assignment: Assignment }>;
  /** Makes the task that does the work, and counts the generation on. */
  run(command: RunAssignment): Promise<{ plan: PlannedTask; assignment: Assignment; child: Submitted["task"] }>;
  /** Records what the checks came to; the planned task is complete when all are green. */
  complete(command: CompletePlan): Promise<PlannedTask>;
  /**
   * Takes a planned task out of the ledger, with its snapshot and its assignments. What its runs have made stays.
   *
   * @throws NuncioError failed_precondition when a run of it has not ended
   */
  purge(command: { tenant: string; planId: string; now: number }): Promise<void>;
  /** The same for those that were complete by a time and whose runs have been purged; how many, at most `limit`. */
  purgeOld(command: { completedBy: number; limit: number; now: number }): Promise<number>;
  /**
   * Takes one invocation out of the allowance of the assignment that `childId` runs, and of the plan.
   *
   * @returns false for a task that belongs to no planned task: nothing bounds it here
   * @throws NuncioError limit_reached ALLOWANCE_USED_UP
   */
  takeInvocation(command: TakeInvocation): Promise<boolean>;

  /** Which tenant a planned task belongs to, for the operator who names only an id. */
  tenantOf(planId: string): Promise<string | null>;
  /** The assignment of an id, with its planned task. */
  assignment(id: string): Promise<{ plan: PlannedTask; assignment: Assignment } | null>;
  /** The assignment that a task runs; null for a task that belongs to no planned task. */
  assignmentOfChild(tenant: string, childId: string): Promise<{ plan: PlannedTask; assignment: Assignment } | null>;
  plan(tenant: string, id: string): Promise<PlannedTask | null>;
  plans(query: { tenant?: string; limit: number; cursor?: string }): Promise<Page<PlannedTask>>;
  /** In the order in which they were made. */
  assignments(tenant: string, planId: string): Promise<Assignment[]>;
  /** In the order of their paths. */
  files(tenant: string, planId: string): Promise<SnapshotFile[]>;
  /** The bytes of one file of the snapshot; null when the snapshot does not hold it. */
  content(tenant: string, planId: string, path: string): Promise<Uint8Array | null>;
}

export interface CreatePlan {
  id: string;
  tenant: string;
  plan: Plan;
  workspace: string;
  snapshotDigest: string;
  files: readonly SnapshotFile[];
  /** By digest: the bytes of every file that is not left out. */
  contents: ReadonlyMap<string, Uint8Array>;
  now: number;
}

export interface Assign {
  tenant: string;
  planId: string;
  revision: number;
  id: string;
  step: string;
  profile: Profile;
  assignee: Assignee;
  invocations: number;
  now: number;
}

export interface RunAssignment {
  tenant: string;
  planId: string;
  assignmentId: string;
  /** Of the planned task, as it was looked at; null for a peer that spends a grant, and looks at nothing. */
  revision: number | null;
  /** Of the assignment, as it was looked at. */
  generation: number;
  submit: Submit;
  /** Set when a peer does it: its dispatch is prepared in the same transaction, when the peer has a slot for it. */
  dispatch?: NewDispatch;
  now: number;
}

/** What is noted of a dispatch before anything of it leaves. */
export interface NewDispatch {
  peer: string;
  runId: string;
  /** Of the pin that was looked at: with another one it is not sent. */
  pinDigest: string;
  /** Slots of the peer: refused with `limit_reached` (PEER_BUSY) when as many dispatches still hold one. */
  slots: number;
  /** When we give up waiting, ms; null for never. */
  deadlineAt: number | null;
}

export interface CompletePlan {
  tenant: string;
  planId: string;
  revision: number;
  checks: readonly CheckResult[];
  now: number;
}

export interface TakeInvocation {
  tenant: string;
  childId: string;
  now: number;
}
