import { z } from "zod";
import { TASK_STATES, WAIT_REASONS } from "../../../tasks/task-state.js";
import { timestamp } from "./fields.js";
import { artifact, message } from "./message.js";
import { taskSummary } from "./task.js";

const numbered = { seq: z.int(), at: timestamp };

/** A fact about a task, numbered from 1 without gaps. */
export const taskEvent = z.discriminatedUnion("type", [
  z.object({ ...numbered, type: z.literal("message"), message }),
  z.object({
    ...numbered,
    type: z.literal("status"),
    state: z.enum(TASK_STATES),
    waitingFor: z.enum(WAIT_REASONS).optional(),
    childId: z.string().optional(),
    message: message.optional(),
  }),
  z.object({
    ...numbered,
    type: z.literal("artifact"),
    artifact,
    append: z.boolean(),
    lastChunk: z.boolean(),
  }),
]);

/** A line of a followed task: a task of its tree, when it appears, or what has happened to one that has appeared. */
export const followLine = z.discriminatedUnion("type", [
  z.object({ type: z.literal("task"), task: taskSummary }),
  z.object({ type: z.literal("event"), taskId: z.string(), event: taskEvent }),
]);

export type TaskEventJson = z.output<typeof taskEvent>;
export type FollowLine = z.output<typeof followLine>;
