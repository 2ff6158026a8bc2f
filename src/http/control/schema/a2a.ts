import { z } from "zod";
import { tenantName } from "./fields.js";
import { artifact, message } from "./message.js";

/** An agent of this daemon by its name, or any by a URL that the operator has typed. */
export const addressee = {
  agent: z.string().min(1).max(64).optional(),
  tenant: tenantName,
  url: z.string().min(1).max(8192).optional(),
  /** Shown as a bearer token to the origin of `url`, and nowhere else. */
  token: z
    .string()
    .max(16_384)
    .regex(/^[\x21-\x7e]+$/, "must be printable ASCII without spaces")
    .optional(),
};

export const NEEDS_ONE_ADDRESSEE = { path: ["agent"], error: "name either agent or url" };

export const hasOneAddressee = ({ agent, url }: { agent?: string | undefined; url?: string | undefined }): boolean =>
  (agent === undefined) !== (url === undefined);

/** As A2A 1.0 spells them (4.1.3). */
const state = z.enum([
  "TASK_STATE_UNSPECIFIED",
  "TASK_STATE_SUBMITTED",
  "TASK_STATE_WORKING",
  "TASK_STATE_INPUT_REQUIRED",
  "TASK_STATE_AUTH_REQUIRED",
  "TASK_STATE_COMPLETED",
  "TASK_STATE_FAILED",
  "TASK_STATE_CANCELED",
  "TASK_STATE_REJECTED",
]);

const status = z.object({ state, message: message.nullable() });

/** What an agent says of a task, whatever version it spoke. */
const agentTask = z.object({
  id: z.string(),
  contextId: z.string().nullable(),
  status,
  artifacts: z.array(artifact),
});

/** What has come of a message: exactly one is not null. */
const agentAnswer = z.object({ task: agentTask.nullable(), message: message.nullable() });

/** What happens to a message, and at the end what has come of it. */
export const sendLine = z.discriminatedUnion("type", [
  z.object({ type: z.literal("task"), task: agentTask }),
  z.object({ type: z.literal("status"), taskId: z.string(), status }),
  z.object({
    type: z.literal("artifact"),
    taskId: z.string(),
    artifact,
    append: z.boolean(),
    lastChunk: z.boolean(),
  }),
  z.object({ type: z.literal("message"), message }),
  z.object({ type: z.literal("answer"), answer: agentAnswer }),
]);

export const agentCard = z.object({
  /** Where it was read; null for an agent of this daemon. */
  url: z.string().nullable(),
  card: z.record(z.string(), z.unknown()),
});

export type AgentTaskJson = z.output<typeof agentTask>;
export type AgentAnswerJson = z.output<typeof agentAnswer>;
export type SendLine = z.output<typeof sendLine>;
export type AgentCardJson = z.output<typeof agentCard>;
