import { z } from "zod";
import { TASK_STATES, WAIT_REASONS } from "../../../tasks/task-state.js";
import { timestamp } from "./fields.js";
import { artifact, message } from "./message.js";

/** A task in a list. */
export const taskSummary = z.object({
  id: z.string(),
  tenant: z.string(),
  contextId: z.string(),
  persona: z.string(),
  principal: z.string(),
  state: z.enum(TASK_STATES),
  waitingFor: z.enum(WAIT_REASONS).nullable(),
  /** The delegated task whose question this one relays. */
  askingChildId: z.string().nullable(),
  trigger: z.string(),
  attempt: z.int(),
  parentId: z.string().nullable(),
  rootId: z.string(),
  hop: z.int(),
  /** The dead letter that this task retries. */
  retryOf: z.string().nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
});

/** A task with what was said and made. */
export const taskDetail = taskSummary.extend({
  maxAttempts: z.int(),
  /** Number of its last event. */
  seq: z.int(),
  tokens: z.object({ input: z.int(), output: z.int() }),
  /** What was said so far, oldest first, without the current status message. */
  messages: z.array(message),
  /** What the task says about its state: the question, the reason of a failure, the progress. */
  statusMessage: message.nullable(),
  artifacts: z.array(artifact),
  children: z.array(taskSummary),
  /** Why an unfinished task is not further along; null when it has ended. */
  why: z.string().nullable(),
});

/** A task with all that was delegated from it, at any depth. */
const treeNode = taskSummary.extend({
  why: z.string().nullable(),
  get children(): z.ZodArray<typeof treeNode> {
    return z.array(treeNode);
  },
});
export const taskTree = treeNode;

export type TaskSummary = z.output<typeof taskSummary>;
export type TaskDetail = z.output<typeof taskDetail>;
export type TaskTree = z.output<typeof taskTree>;
