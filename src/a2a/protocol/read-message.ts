import { invalidArgument } from "../../shared/errors.js";
import type { Message, Part } from "../../tasks/message.js";
import * as check from "./check.js";
import { LIMITS } from "./limits.js";

/** What differs between the versions in a message that a client sends. */
export interface MessageSpelling {
  /** The role of the client. */
  role: string;
  readParts(value: unknown, field: string): Part[];
}

/** A message, with the task and context that it names. */
export interface AddressedMessage {
  message: Message;
  contextId?: string;
  taskId?: string;
}

/** Reads the message of a request (A2A 1.0, 4.1.4; 0.3, 6.4). */
export function readMessage(given: Record<string, unknown>, spelling: MessageSpelling): AddressedMessage {
  const messageId = check.id(given.messageId, "message.messageId");
  readRole(given.role, spelling.role);
  // In the order of the canonical form, so that it need not be sorted for the hash.
  const message: Message = { messageId, parts: spelling.readParts(given.parts, "message.parts"), role: "user" };
  const metadata = check.optionalStruct(given.metadata, "message.metadata");
  const extensions = check.optionalLabels(given.extensions, "message.extensions", {
    items: LIMITS.extensions,
    length: LIMITS.uriLength,
  });
  const referenceTaskIds = check.optionalLabels(given.referenceTaskIds, "message.referenceTaskIds", {
    items: LIMITS.referenceTaskIds,
    length: LIMITS.idLength,
  });
  if (metadata !== undefined) message.metadata = metadata;
  if (extensions !== undefined) message.extensions = extensions;
  if (referenceTaskIds !== undefined) message.referenceTaskIds = referenceTaskIds;
  const addressed: AddressedMessage = { message };
  const contextId = check.optionalId(given.contextId, "message.contextId");
  const taskId = check.optionalId(given.taskId, "message.taskId");
  if (contextId !== undefined) addressed.contextId = contextId;
  if (taskId !== undefined) addressed.taskId = taskId;
  return addressed;
}

/** A request comes from a client, so its role can only be the client's: a caller must not put words in the agent's mouth. */
function readRole(role: unknown, client: string): void {
  if (role === client) return;
  throw invalidArgument("message.role", role === undefined || role === null ? "is required" : `must be "${client}"`);
}
