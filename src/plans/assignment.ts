import type { TaskState } from "../tasks/task-state.js";
import type { Profile } from "./profile.js";

/** A step of a planned task, given to a persona of ours or to a peer. Each run of it makes a task. */
export interface Assignment {
  id: string;
  tenant: string;
  planId: string;
  step: string;
  profile: Profile;
  assignee: Assignee;
  /** How much of what the plan may cost it may use. */
  invocations: number;
  invocationsUsed: number;
  /** How often it has been run. */
  generation: number;
  createdAt: number;
  updatedAt: number;
  /** Oldest first. */
  runs: readonly AssignmentRun[];
}

export type Assignee = { runtime: "native"; persona: string } | { runtime: "peer"; peer: string };

export interface AssignmentRun {
  generation: number;
  /** The task that does the work. */
  childId: string;
  /** The grant that a peer has spent for it; null when the operator ran it. */
  grantId: string | null;
  at: number;
  /** Where that task stands now; null when it has been purged. */
  state: TaskState | null;
}

/** Stands where the name of a persona does in tasks that a peer works on: no persona can be called so. */
export const peerPersona = (peer: string): string => `peer:${peer}`;

/** The peer of such a name; null when it is one of a persona. */
export const peerOf = (persona: string): string | null =>
  persona.startsWith("peer:") ? persona.slice("peer:".length) : null;
