import type { Json } from "../shapes/check.js";
import type { Ask, Binding, Operation, Sent, StoredPush, StreamEvent, Task, TaskPage, Version } from "../words.js";
import type { Patch } from "./errors.js";

/** Where an agent is reached. */
export interface Agent {
  name: string;
  /** Of JSON-RPC, HTTP+JSON and the card. */
  base: string;
  /** `host:port`; absent where it is not served. */
  grpc?: string;
  /** The interface tenant by which 1.0 says over gRPC which agent is meant (4.4.6). */
  grpcTenant?: string;
  /** Metadata by which 0.3 says so. */
  grpcMetadata?: Record<string, string>;
  /** Of 1.0, by which it answers; 1.0.1 if it does not say. */
  patch?: Patch;
}

export interface CallOptions {
  agent: Agent;
  /** Null calls without a credential. */
  token: string | null;
  /** Headers or metadata; `undefined` takes one away that the wire sends by itself. */
  headers?: Record<string, string | undefined>;
}

/** What an answer said besides its content. */
export interface Facts {
  /** Of HTTP; of gRPC it is the status code of the call. */
  status: number;
  /** In lower case. */
  headers: Record<string, string | undefined>;
}

export interface WireError {
  /** What it can be by its code, in the words of `errors.ts`; mostly one. */
  names: readonly string[];
  message: string;
  /** `google.rpc` details. */
  details: Json[];
  facts: Facts;
}

export interface Stream {
  facts: Facts;
  /** Undefined at its end. */
  next(): Promise<StreamEvent | undefined>;
  rest(): Promise<StreamEvent[]>;
  close(): void;
}

export interface Results {
  send: Sent;
  stream: Stream;
  get: Task;
  list: TaskPage;
  cancel: Task;
  subscribe: Stream;
  createPush: StoredPush;
  getPush: StoredPush;
  listPush: StoredPush[];
  deletePush: null;
  extendedCard: Json;
}

export type Reply<Op extends Operation = Operation> =
  | { type: "result"; value: Results[Op]; facts: Facts }
  | { type: "error"; error: WireError };

/** One binding in one version: from the words of the cases to bytes, and back. */
export interface Wire {
  binding: Binding;
  version: Version;
  name: string;
  has(operation: Operation): boolean;
  call<Op extends Operation>(operation: Op, ask: Ask, options: CallOptions): Promise<Reply<Op>>;
}

export const isStream = (operation: Operation): boolean => operation === "stream" || operation === "subscribe";
