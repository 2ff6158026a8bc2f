import type { JsonObject } from "../../shared/json.js";
import type { Message } from "../../tasks/message.js";
import type { StateFacts } from "./states.js";

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

/** What a client wants to see of an agent's tasks. */
export interface ListRequest {
  contextId?: string;
  /** Only tasks that stand in one of these ways. */
  standings?: readonly StateFacts[];
  /** Only tasks whose status is of this time (ms) or later. */
  statusSince?: number;
  pageSize: number;
  pageToken?: string;
  historyLength?: number;
  includeArtifacts: boolean;
  interfaceTenant?: string;
}

export interface TaskRequest {
  id: string;
  historyLength?: number;
  interfaceTenant?: string;
}
