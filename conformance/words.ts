/** The words in which cases speak: those of no version and no binding. */

export const VERSIONS = ["1.0", "0.3"] as const;
export type Version = (typeof VERSIONS)[number];

export const BINDINGS = ["JSONRPC", "HTTP+JSON", "GRPC"] as const;
export type Binding = (typeof BINDINGS)[number];

export type Operation =
  | "send"
  | "stream"
  | "get"
  | "list"
  | "cancel"
  | "subscribe"
  | "createPush"
  | "getPush"
  | "listPush"
  | "deletePush"
  | "extendedCard";

export type State =
  | "submitted"
  | "working"
  | "input-required"
  | "auth-required"
  | "completed"
  | "failed"
  | "canceled"
  | "rejected";

export const TERMINAL: readonly State[] = ["completed", "failed", "canceled", "rejected"];

export interface Part {
  text?: string;
  /** Base64. */
  raw?: string;
  url?: string;
  data?: unknown;
  filename?: string;
  mediaType?: string;
  metadata?: Record<string, unknown>;
}

export interface PushConfig {
  id?: string;
  url: string;
  token?: string;
  authentication?: { scheme: string; credentials?: string };
}

/** What a request may ask for. Each operation looks at what concerns it. */
export interface Ask {
  /** A message with one part of text; `parts` otherwise. */
  text?: string;
  parts?: Part[];
  messageId?: string;
  contextId?: string;
  taskId?: string;
  referenceTaskIds?: string[];
  extensions?: string[];
  messageMetadata?: Record<string, unknown>;
  /** Whether the answer waits for the task. Absent: as the version has it by default. */
  blocking?: boolean;
  historyLength?: number;
  acceptedOutputModes?: string[];
  push?: PushConfig;
  metadata?: Record<string, unknown>;
  /** Of the task that is asked for. */
  id?: string;
  pushId?: string;
  status?: State;
  pageSize?: number;
  pageToken?: string;
  statusTimestampAfter?: string;
  includeArtifacts?: boolean;
  tenant?: string;
  /** Fields to leave out or to change once the request is spelled, by their path in 1.0: `message.parts`. */
  without?: string[];
  replace?: Record<string, unknown>;
}

export interface Message {
  messageId: string;
  contextId?: string;
  taskId?: string;
  role: "user" | "agent";
  parts: Part[];
  metadata?: Record<string, unknown>;
  extensions?: string[];
  referenceTaskIds?: string[];
}

export interface Artifact {
  artifactId: string;
  name?: string;
  parts: Part[];
}

export interface Task {
  id: string;
  contextId: string;
  state: State;
  /** The message of the status. */
  said?: Message;
  timestamp?: string;
  /** Absent where the answer has no such field. */
  artifacts?: Artifact[];
  history?: Message[];
}

export type Sent = { type: "task"; task: Task } | { type: "message"; message: Message };

export type StreamEvent = (
  | { type: "task"; task: Task }
  | { type: "message"; message: Message }
  | { type: "status"; taskId: string; contextId: string; state: State; said?: Message; final?: boolean }
  | { type: "artifact"; taskId: string; contextId: string; artifact: Artifact; append: boolean; lastChunk: boolean }
) & { eventId?: string };

export interface TaskPage {
  tasks: Task[];
  nextPageToken: string;
  pageSize: number;
  totalSize: number;
}

export interface StoredPush {
  id: string;
  taskId: string;
  url: string;
  token?: string;
  authentication?: { scheme: string; credentials?: string };
}
