import { Client, type ClientReadableStream, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { deviates } from "../deviation.js";
import { decode } from "../protobuf/decode.js";
import { encode } from "../protobuf/encode.js";
import { readStatus } from "../protobuf/status.js";
import type { Json } from "../shapes/check.js";
import type { Shapes } from "../shapes/shape.js";
import { V1 } from "../shapes/v1.js";
import { V03_PROTO } from "../shapes/v03-proto.js";
import type { Dialect } from "../spelling/dialect.js";
import type { Ask, Operation, StreamEvent, Version } from "../words.js";
import { checkDetails, errorByGrpc, type Patch } from "./errors.js";
import { resultOf } from "./results.js";
import {
  type CallOptions,
  type Facts,
  isStream,
  type Reply,
  type Results,
  type Stream,
  type Wire,
  type WireError,
} from "./wire.js";

interface Method {
  name: string;
  request: string;
  response: string;
}

const method = (name: string, request: string, response: string): Method => ({ name, request, response });

/** A2A 1.0, 10.4 and `a2a.proto`; 0.3, its `a2a.proto`, which has no list of tasks. */
const METHODS: Readonly<
  Record<Version, { service: string; shapes: Shapes; methods: Record<Operation, Method | null> }>
> = {
  "1.0": {
    service: "lf.a2a.v1.A2AService",
    shapes: V1,
    methods: {
      send: method("SendMessage", "SendMessageRequest", "SendMessageResponse"),
      stream: method("SendStreamingMessage", "SendMessageRequest", "StreamResponse"),
      get: method("GetTask", "GetTaskRequest", "Task"),
      list: method("ListTasks", "ListTasksRequest", "ListTasksResponse"),
      cancel: method("CancelTask", "CancelTaskRequest", "Task"),
      subscribe: method("SubscribeToTask", "SubscribeToTaskRequest", "StreamResponse"),
      createPush: method(
        "CreateTaskPushNotificationConfig",
        "TaskPushNotificationConfig",
        "TaskPushNotificationConfig",
      ),
      getPush: method(
        "GetTaskPushNotificationConfig",
        "GetTaskPushNotificationConfigRequest",
        "TaskPushNotificationConfig",
      ),
      listPush: method(
        "ListTaskPushNotificationConfigs",
        "ListTaskPushNotificationConfigsRequest",
        "ListTaskPushNotificationConfigsResponse",
      ),
      deletePush: method("DeleteTaskPushNotificationConfig", "DeleteTaskPushNotificationConfigRequest", "Empty"),
      extendedCard: method("GetExtendedAgentCard", "GetExtendedAgentCardRequest", "AgentCard"),
    },
  },
  "0.3": {
    service: "a2a.v1.A2AService",
    shapes: V03_PROTO,
    methods: {
      send: method("SendMessage", "SendMessageRequest", "SendMessageResponse"),
      stream: method("SendStreamingMessage", "SendMessageRequest", "StreamResponse"),
      get: method("GetTask", "GetTaskRequest", "Task"),
      list: null,
      cancel: method("CancelTask", "CancelTaskRequest", "Task"),
      subscribe: method("TaskSubscription", "TaskSubscriptionRequest", "StreamResponse"),
      createPush: method(
        "CreateTaskPushNotificationConfig",
        "CreateTaskPushNotificationConfigRequest",
        "TaskPushNotificationConfig",
      ),
      getPush: method(
        "GetTaskPushNotificationConfig",
        "GetTaskPushNotificationConfigRequest",
        "TaskPushNotificationConfig",
      ),
      listPush: method(
        "ListTaskPushNotificationConfig",
        "ListTaskPushNotificationConfigRequest",
        "ListTaskPushNotificationConfigResponse",
      ),
      deletePush: method("DeleteTaskPushNotificationConfig", "DeleteTaskPushNotificationConfigRequest", "Empty"),
      extendedCard: method("GetAgentCard", "GetAgentCardRequest", "AgentCard"),
    },
  },
};

/** gRPC: protobuf bytes that are made and read here, so that no other codec can hide what is on the wire. */
export class GrpcWire implements Wire {
  readonly binding = "GRPC";
  readonly version: Version;
  readonly name: string;
  readonly #dialect: Dialect;

  constructor(dialect: Dialect) {
    this.version = dialect.version;
    this.name = `gRPC ${dialect.version}`;
    this.#dialect = dialect;
  }

  has(operation: Operation): boolean {
    return METHODS[this.version].methods[operation] !== null;
  }

  async call<Op extends Operation>(operation: Op, ask: Ask, options: CallOptions): Promise<Reply<Op>> {
    const { methods, shapes } = METHODS[this.version];
    const { name, request, response } = methods[operation] as Method;
    const tenant = ask.tenant ?? options.agent.grpcTenant;
    const addressed = this.version === "1.0" && tenant !== undefined ? { ...ask, tenant } : ask;
    const bytes = encode(shapes, request, this.#dialect.params(operation, addressed));
    if (!isStream(operation)) {
      const answer = await unary(options, this.version, name, bytes);
      if ("error" in answer) return { type: "error", error: answer.error };
      const value = resultOf(this.#dialect, operation, decode(shapes, response, answer.bytes));
      return { type: "result", value, facts: answer.facts };
    }
    const read = (piece: Buffer) => this.#dialect.event(decode(shapes, response, piece));
    const stream = await open(options, this.version, name, bytes, read);
    if ("error" in stream) return { type: "error", error: stream.error };
    return { type: "result", value: stream as Results[Op], facts: stream.facts };
  }
}

const pathOf = (version: Version, name: string): string => `/${METHODS[version].service}/${name}`;
const asIs = (bytes: Buffer): Buffer => bytes;

const clients = new Map<string, Client>();

function clientOf(address: string): Client {
  let client = clients.get(address);
  if (client === undefined) {
    client = new Client(address, credentials.createInsecure());
    clients.set(address, client);
  }
  return client;
}

export function closeClients(): void {
  for (const client of clients.values()) client.close();
  clients.clear();
}

function metadataOf({ agent, token, headers = {} }: CallOptions, version: Version): Metadata {
  const metadata = new Metadata();
  if (token !== null) metadata.set("authorization", `Bearer ${token}`);
  if (version === "1.0") metadata.set("a2a-version", version);
  else for (const [name, value] of Object.entries(agent.grpcMetadata ?? {})) metadata.set(name, value);
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) metadata.remove(name);
    else metadata.set(name, value);
  }
  return metadata;
}

const addressOf = ({ agent }: CallOptions): string => {
  if (agent.grpc === undefined) throw new Error(`${agent.name} has no gRPC interface`);
  return agent.grpc;
};

/** One call of one message, as bytes. */
export function unary(
  options: CallOptions,
  version: Version,
  name: string,
  bytes: Buffer,
): Promise<{ bytes: Buffer; facts: Facts } | { error: WireError }> {
  return new Promise((resolve) => {
    let headers: Record<string, string | undefined> = {};
    const done = (error: ServiceError | null, answer?: Buffer) => {
      if (error !== null) resolve({ error: readError(error, patchOf(options, version), headers) });
      else resolve({ bytes: answer as Buffer, facts: { status: 0, headers } });
    };
    const call = clientOf(addressOf(options)).makeUnaryRequest(
      pathOf(version, name),
      asIs,
      asIs,
      bytes,
      metadataOf(options, version),
      done,
    );
    call.on("metadata", (metadata) => {
      headers = textOf(metadata);
    });
  });
}

const textOf = (metadata: Metadata): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(metadata.toHttp2Headers()).map(([name, value]) => [
      name,
      value === undefined ? value : String(value),
    ]),
  );

const patchOf = ({ agent }: CallOptions, version: Version): Patch | null =>
  version === "1.0" ? (agent.patch ?? "1.0.1") : null;

/** 10.6: the status, and `google.rpc.Status` in a trailer, which must not contradict it. */
function readError(error: ServiceError, patch: Patch | null, headers: Record<string, string | undefined>): WireError {
  const facts = { status: error.code, headers: { ...headers, ...textOf(error.metadata) } };
  const [bytes] = error.metadata.get("grpc-status-details-bin");
  let details: Json[] = [];
  if (bytes !== undefined) {
    const status = readStatus(bytes as Buffer);
    if (status.code !== error.code)
      deviates("grpc-status-details-bin", `says ${status.code}, the status ${error.code}`);
    details = checkDetails(status.details, "status.details");
  }
  return errorByGrpc(error.code, error.details, details, facts, patch);
}

/** Resolves with the first event, or with the error that came instead. */
export async function open(
  options: CallOptions,
  version: Version,
  name: string,
  bytes: Buffer,
  read: (piece: Buffer) => StreamEvent,
): Promise<Stream | { error: WireError }> {
  const call: ClientReadableStream<Buffer> = clientOf(addressOf(options)).makeServerStreamRequest(
    pathOf(version, name),
    asIs,
    asIs,
    bytes,
    metadataOf(options, version),
  );
  const facts: Facts = { status: 0, headers: {} };
  call.on("metadata", (metadata) => {
    facts.headers = textOf(metadata);
  });
  const pieces = call[Symbol.asyncIterator]();
  let first: IteratorResult<Buffer> | undefined;
  try {
    first = await pieces.next();
  } catch (error) {
    return { error: readError(error as ServiceError, patchOf(options, version), facts.headers) };
  }
  const next = async (): Promise<StreamEvent | undefined> => {
    const { done, value } = first ?? (await pieces.next());
    first = undefined;
    return done === true ? undefined : read(value);
  };
  return {
    facts,
    next,
    async rest() {
      const rest: StreamEvent[] = [];
      for (let event = await next(); event !== undefined; event = await next()) rest.push(event);
      return rest;
    },
    close: () => call.cancel(),
  };
}
