import type { JsonObject } from "../../shared/json.js";
import type { Message } from "../../tasks/message.js";
import type { StateFacts } from "./states.js";
import type { ProtocolVersion } from "./version.js";

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
  /** Where the caller wants to be notified of the task. */
  push?: PushWish;
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

/** Where and how a caller is to be notified. */
export interface PushAddress {
  url: string;
  /** Shown to the receiver with each notification. */
  token?: string;
  /** HTTP authentication schemes that the receiver knows, best first. */
  schemes: readonly string[];
  credentials?: string;
}

/** What a caller asks for; nobody has looked yet where the URL leads. */
export interface PushWish {
  /** Given by the client. */
  id?: string;
  /** In which the caller is to be notified. */
  version: ProtocolVersion;
  address: PushAddress;
  /** Where it stands in the request, for errors: the path of the object that has the `url`, with a dot, or nothing. */
  field: string;
}

export interface CreatePushRequest {
  taskId: string;
  push: PushWish;
  interfaceTenant?: string;
}

export interface PushRequest {
  taskId: string;
  id: string;
  interfaceTenant?: string;
}

export interface ListPushRequest {
  taskId: string;
  pageSize?: number;
  pageToken?: string;
  interfaceTenant?: string;
}

/** A wish that was granted, for its owner to see. */
export interface PushConfig extends PushAddress {
  taskId: string;
  id: string;
}
