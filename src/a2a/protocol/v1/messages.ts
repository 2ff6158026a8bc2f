import type { Message } from "../../../tasks/message.js";
import * as check from "../check.js";
import { type AddressedMessage, type MessageSpelling, readMessage as readSpelled } from "../read-message.js";
import { readParts } from "./parts.js";

const SPELLING: MessageSpelling = { role: "ROLE_USER", readParts };

/** The message of a client (A2A 1.0, 4.1.4). */
export const readMessage = (value: unknown): AddressedMessage => readSpelled(check.object(value, "message"), SPELLING);

export interface MessageV1 {
  messageId: string;
  contextId: string;
  taskId?: string;
  role: "ROLE_USER" | "ROLE_AGENT";
  parts: unknown[];
  metadata?: unknown;
  extensions?: string[];
  referenceTaskIds?: string[];
}

/** @param taskId absent for a bare message, which has no task on the wire */
export function writeMessage(message: Message, contextId: string, taskId?: string): MessageV1 {
  const written: MessageV1 = {
    messageId: message.messageId,
    contextId,
    ...(taskId === undefined ? {} : { taskId }),
    role: message.role === "user" ? "ROLE_USER" : "ROLE_AGENT",
    parts: message.parts,
  };
  if (message.metadata !== undefined) written.metadata = message.metadata;
  if (message.extensions !== undefined) written.extensions = message.extensions;
  if (message.referenceTaskIds !== undefined) written.referenceTaskIds = message.referenceTaskIds;
  return written;
}
