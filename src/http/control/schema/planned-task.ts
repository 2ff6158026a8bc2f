import { z } from "zod";
import { PROFILE_KINDS } from "../../../plans/profile.js";
import { TASK_STATES } from "../../../tasks/task-state.js";
import { timestamp } from "./fields.js";

const allowance = z.object({ allowed: z.int(), used: z.int() });

/** A planned task in a list. */
export const plannedTaskSummary = z.object({
  id: z.string(),
  tenant: z.string(),
  title: z.string(),
  state: z.enum(["open", "completed"]),
  /** What the next change of it has to name. */
  revision: z.int(),
  workspace: z.string(),
  snapshotDigest: z.string(),
  invocations: allowance,
  /** Tokens that personas may use; null where nobody counts them. */
  tokenUnits: z.int().nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
  completedAt: timestamp.nullable(),
});

const run = z.object({
  generation: z.int(),
  childId: z.string(),
  /** Null when the task was purged. */
  state: z.enum(TASK_STATES).nullable(),
  /** The grant that a peer has spent for it. */
  grantId: z.string().nullable(),
  at: timestamp,
});

export const assignment = z.object({
  id: z.string(),
  plannedTaskId: z.string(),
  step: z.string(),
  profile: z.object({ name: z.string(), kind: z.enum(PROFILE_KINDS), text: z.string() }),
  /** `native`, or the name of the peer. */
  runtime: z.string(),
  persona: z.string().nullable(),
  peer: z.string().nullable(),
  /** What the next run of it has to name. */
  generation: z.int(),
  invocations: allowance,
  /** What it has asked of models; null where nobody can observe it. */
  modelRequests: z.int().nullable(),
  tokens: z.int().nullable(),
  /** The names of those that nobody can observe: they are not zero. */
  unobserved: z.array(z.enum(["modelRequests", "tokens", "processes"])),
  runs: z.array(run),
  createdAt: timestamp,
  updatedAt: timestamp,
});

const checkResult = z.object({
  name: z.string(),
  green: z.boolean(),
  exitCode: z.int().nullable(),
  ms: z.int(),
  output: z.string(),
});

/** A planned task with everything about it. */
export const plannedTask = plannedTaskSummary.extend({
  steps: z.array(
    z.object({
      id: z.string(),
      instruction: z.string(),
      files: z.array(z.string()),
      needs: z.array(z.string()),
      persona: z.string().nullable(),
      state: z.enum(["open", "running", "done"]),
    }),
  ),
  checks: z.array(z.object({ name: z.string(), command: z.string(), args: z.array(z.string()), timeoutMs: z.int() })),
  /** What the checks of the last attempt to complete it came to. */
  lastChecks: z.array(checkResult).nullable(),
  assignments: z.array(assignment),
  snapshot: z.object({
    digest: z.string(),
    admitted: z.array(z.object({ path: z.string(), digest: z.string(), bytes: z.int() })),
    leftOut: z.array(z.object({ path: z.string(), reason: z.string(), bytes: z.int() })),
  }),
});

/** What an attempt to complete a planned task says, line by line. */
export const completeLine = z.discriminatedUnion("type", [
  z.object({ type: z.literal("check"), check: checkResult }),
  z.object({ type: z.literal("planned_task"), plannedTask: plannedTask }),
]);

export type PlannedTaskSummary = z.output<typeof plannedTaskSummary>;
export type PlannedTaskJson = z.output<typeof plannedTask>;
export type AssignmentJson = z.output<typeof assignment>;
export type CheckResultJson = z.output<typeof checkResult>;
export type CompleteLine = z.output<typeof completeLine>;
