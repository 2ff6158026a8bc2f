import { A2AService } from "@a2a-js/sdk/server/grpc";
import { Client, credentials, Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { createGrpcServer, type GrpcServerOptions } from "../../src/a2a/server/grpc/server.js";
import { newId } from "../../src/shared/ids.js";
import { type Edge, startEdge } from "./a2a-edge.js";
import { type RpcDetails, readDetails } from "./grpc-details.js";

export interface GrpcEdge {
  edge: Edge;
  /** `HOST:PORT` */
  address: string;
  port: number;
  close(): Promise<void>;
}

/** The gRPC listener on loopback, beside the HTTP one. */
export async function startGrpcEdge(
  options: Parameters<typeof startEdge>[0] & { grpc?: Partial<GrpcServerOptions> } = {},
): Promise<GrpcEdge> {
  const edge = await startEdge(options);
  const server = createGrpcServer(edge.edge, {
    host: "127.0.0.1",
    port: 0,
    compat: () => "1.0.1",
    messageLimit: 1024 * 1024,
    maxConnections: 100,
    ...options.grpc,
  });
  const { port } = await server.listen();
  return {
    ...{ edge, port, address: `127.0.0.1:${port}` },
    async close() {
      edge.edge.close();
      await server.close();
      await edge.stop();
    },
  };
}

/** How a call ended. */
export interface Ended {
  code: string;
  message: string;
  details: RpcDetails | undefined;
}

export function endedBy(error: ServiceError): Ended {
  const [bytes] = error.metadata?.get("grpc-status-details-bin") ?? [];
  return {
    code: status[error.code] as string,
    message: error.details,
    details: bytes === undefined ? undefined : readDetails(bytes as Buffer),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape.
type AnyMessage = any;

/** A client that sends whatever it is given, to any method, and says how it ended. */
export class RawClient {
  readonly grpc: Client;
  readonly #metadata: Record<string, string>;

  constructor(address: string, metadata: Record<string, string> = {}) {
    // A connection of its own for each, as callers have.
    this.grpc = new Client(address, credentials.createInsecure(), { "grpc.use_local_subchannel_pool": 1 });
    this.#metadata = metadata;
  }

  /** @returns the bytes of the answer */
  unary(path: string, bytes: Uint8Array, metadata: Record<string, string> = {}): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.grpc.makeUnaryRequest(path, asBuffer, asBuffer, bytes, this.#all(metadata), (error, answer) => {
        if (error !== null) reject(error);
        else resolve(answer as Buffer);
      });
    });
  }

  stream(path: string, bytes: Uint8Array, metadata: Record<string, string> = {}) {
    return this.grpc.makeServerStreamRequest(path, asBuffer, asBuffer, bytes, this.#all(metadata));
  }

  /** By the descriptor of the official SDK. */
  async call(
    name: keyof typeof A2AService,
    request: AnyMessage,
    metadata: Record<string, string> = {},
  ): Promise<AnyMessage> {
    const method = A2AService[name];
    const bytes = (method.requestSerialize as (value: AnyMessage) => Buffer)(request);
    return method.responseDeserialize(await this.unary(method.path, bytes, metadata));
  }

  /** How a call ends that must not succeed. */
  async refusal(
    name: keyof typeof A2AService,
    request: AnyMessage,
    metadata: Record<string, string> = {},
  ): Promise<Ended> {
    return refusalOf(this.call(name, request, metadata));
  }

  close(): void {
    this.grpc.close();
  }

  #all(more: Record<string, string>): Metadata {
    return metadataOf({ ...this.#metadata, ...more });
  }
}

export function metadataOf(entries: Record<string, string>): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(entries)) metadata.set(name, value);
  return metadata;
}

export async function refusalOf(call: Promise<unknown>): Promise<Ended> {
  try {
    await call;
  } catch (error) {
    return endedBy(error as ServiceError);
  }
  throw new Error("the call was not refused");
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes);

/** A message to send, in the shape of the SDK. */
const messageOf = (text: string, more: object = {}) => ({
  messageId: newId(),
  contextId: "",
  taskId: "",
  role: 1,
  parts: [{ content: { $case: "text" as const, value: text }, metadata: undefined, filename: "", mediaType: "" }],
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
  ...more,
});

export const sendRequest = (tenant: string, text: string, more: { message?: object; configuration?: object } = {}) => ({
  tenant,
  message: messageOf(text, more.message),
  configuration: {
    acceptedOutputModes: [],
    taskPushNotificationConfig: undefined,
    historyLength: undefined,
    returnImmediately: false,
    ...more.configuration,
  },
  metadata: undefined,
});
