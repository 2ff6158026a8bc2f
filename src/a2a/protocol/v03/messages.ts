import { invalidArgument } from "../../../shared/errors.js";
import type { Message } from "../../../tasks/message.js";
import * as check from "../check.js";
import { type AddressedMessage, type MessageSpelling, readMessage as readSpelled } from "../read-message.js";
import { readParts, writePart } from "./parts.js";

const SPELLING: MessageSpelling = { role: "user", readParts };

/** The message of a client (A2A 0.3, 6.4). */
export function readMessage(value: unknown): AddressedMessage {
  const given = check.object(value, "message");
  // The examples of the specification leave the discriminator out where it can only be this one.
  if (given.kind !== undefined && given.kind !== "message") {
    throw invalidArgument("message.kind", 'must be "message"');
  }
  return readSpelled(given, SPELLING);
}

/** @param taskId absent for a bare message, which has no task on the wire */
export const writeMessage = (message: Message, contextId: string, taskId?: string): object => ({
  kind: "message",
  messageId: message.messageId,
  contextId,
  ...(taskId === undefined ? {} : { taskId }),
  role: message.role,
  parts: message.parts.map(writePart),
  ...(message.metadata === undefined ? {} : { metadata: message.metadata }),
  ...(message.extensions === undefined ? {} : { extensions: message.extensions }),
  ...(message.referenceTaskIds === undefined ? {} : { referenceTaskIds: message.referenceTaskIds }),
});
