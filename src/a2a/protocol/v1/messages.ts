import { quoted } from "../../../shared/quoted.js";
import type { Message } from "../../../tasks/message.js";
import * as check from "../check.js";
import { list, optional } from "../json-text.js";
import { type AddressedMessage, type MessageSpelling, readMessage as readSpelled } from "../read-message.js";
import { readParts, writePart } from "./parts.js";

const SPELLING: MessageSpelling = { role: "ROLE_USER", readParts };

/** The message of a client (A2A 1.0, 4.1.4). */
export const readMessage = (value: unknown): AddressedMessage => readSpelled(check.object(value, "message"), SPELLING);

/**
 * JSON text.
 *
 * @param taskId absent for a bare message, which has no task on the wire
 */
export function writeMessage(message: Message, contextId: string, taskId?: string): string {
  const task = taskId === undefined ? "" : `,"taskId":${quoted(taskId)}`;
  const role = message.role === "user" ? "ROLE_USER" : "ROLE_AGENT";
  return (
    `{"messageId":${quoted(message.messageId)},"contextId":${quoted(contextId)}${task},"role":"${role}"` +
    `,"parts":${list(message.parts, writePart)}${optional("metadata", message.metadata)}` +
    `${optional("extensions", message.extensions)}${optional("referenceTaskIds", message.referenceTaskIds)}}`
  );
}
