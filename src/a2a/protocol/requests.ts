import type { JsonObject } from "../../shared/json.js";
import type { Message } from "../../tasks/message.js";

/** What a client asks for, in our words, whatever version and binding it came in. */
export interface SendRequest {
  message: Message;
  /** Given by the client; a new context otherwise, or that of `taskId`. */
  contextId?: string;
  /** Continues this task. */
  taskId?: string;
  /** Whether the answer waits until the task is settled. Means nothing for streams. */
  blocking: boolean;
  historyLength?: number;
  metadata?: JsonObject;
  /** The opaque A2A field of that name; must name the tenant of the URL. */
  interfaceTenant?: string;
}

export interface TaskRequest {
  id: string;
  historyLength?: number;
  interfaceTenant?: string;
}
