/*
 * A planned task: work that the operator has prepared as a whole, before anybody does a part of it. What was admitted
 * never changes; what happens to it is counted in revisions.
 */

/** As it was admitted: checked, with its defaults. */
export interface Plan {
  title: string;
  steps: readonly PlanStep[];
  /** What has to be green before the planned task is complete; at least one. */
  checks: readonly PlanCheck[];
  limits: PlanLimits;
}

export interface PlanStep {
  /** Unique in its plan. */
  id: string;
  instruction: string;
  /** Paths in the snapshot that a persona of ours is given with the instruction. What a peer gets stands in its pin. */
  files: readonly string[];
  /** Steps that must have been done before. */
  needs: readonly string[];
  /** The persona that does it natively, unless the assignment names one. */
  persona?: string;
}

/** A program that is run in the workspace, without a shell. */
export interface PlanCheck {
  name: string;
  command: string;
  args: readonly string[];
  timeoutMs: number;
}

export interface PlanLimits {
  /** Model requests of personas and messages to peers, of all assignments together. */
  invocations: number;
  /** Tokens that personas may use; null where nobody counts them. Peers can only be given work without this bound. */
  tokenUnits: number | null;
}

export type PlanState = "open" | "completed";

export interface PlannedTask {
  id: string;
  tenant: string;
  revision: number;
  state: PlanState;
  plan: Plan;
  /** Absolute path of the directory that was admitted, in which the checks run. */
  workspace: string;
  /** Of all paths and digests of the snapshot: `sha256:…`. */
  snapshotDigest: string;
  invocationsUsed: number;
  /** What the checks of the last attempt to complete it came to; null before the first. */
  checks: readonly CheckResult[] | null;
  createdAt: number;
  updatedAt: number;
  completedAt: number | null;
}

export interface CheckResult {
  name: string;
  green: boolean;
  /** Null when it was ended, or could not be started. */
  exitCode: number | null;
  ms: number;
  /** The end of what it wrote, at most 8 KiB. */
  output: string;
}

/** A file of the workspace as it was admitted, or why it was left out. */
export type SnapshotFile =
  | { path: string; digest: string; bytes: number; leftOut: null }
  | { path: string; digest: null; bytes: number; leftOut: string };
