import type { JsonObject } from "../../../shared/json.js";
import type { Message } from "../../../tasks/message.js";
import type { ProtocolVersion } from "../../protocol/version.js";
import type { RemoteAnswer, RemoteTask, RemoteUpdate } from "../remote-task.js";
import { v1 } from "./v1.js";
import { v03 } from "./v03.js";

/** A message on its way to an agent. */
export interface Outgoing {
  message: Message;
  contextId?: string | undefined;
  /** Continues this task. */
  taskId?: string | undefined;
  /** Whether the answer waits until the task is settled. */
  waits: boolean;
  metadata?: JsonObject | undefined;
}

/**
 * One version of the protocol from a client's side. The readers throw AGENT_ANSWER_INVALID for what is not in its shape;
 * fields that we do not know are left out.
 */
export interface Spelling {
  sendParams(outgoing: Outgoing): JsonObject;
  taskParams(taskId: string, historyLength?: number): JsonObject;
  readAnswer(value: unknown): RemoteAnswer;
  readTask(value: unknown): RemoteTask;
  readUpdate(value: unknown): RemoteUpdate;
}

export const SPELLINGS: Record<ProtocolVersion, Spelling> = { "1.0": v1, "0.3": v03 };
