import { createServer, type Socket } from "node:net";
import { logVerbosity, Server, ServerCredentials, setLogVerbosity } from "@grpc/grpc-js";
import { PROTOCOL_VERSIONS } from "../../protocol/version.js";
import type { A2aEdge } from "../edge.js";
import { Doorman } from "./doorman.js";
import { Handlers } from "./handlers.js";
import { keepHeadersLegal } from "./legal-headers.js";
import { methodsOf } from "./methods.js";
import { type Compat, statusesFor } from "./status.js";
import { Untaken } from "./untaken.js";

export interface GrpcServerOptions {
  host: string;
  /** 0 takes a free one. */
  port: number;
  /** As of now: it may change while calls are served. */
  compat(): Compat;
  /** Bytes of a message that is received, at most. */
  messageLimit: number;
  /** At a time; one more is closed as it comes. */
  maxConnections: number;
  requestTimeoutMs?: number;
  stallMs?: number;
}

export interface GrpcServer {
  /** Rejects with the error of the socket where it cannot listen. */
  listen(): Promise<{ port: number }>;
  /** Takes no new calls, and resolves when every connection is closed. What waits has to be ended before. */
  close(): Promise<void>;
}

/** How long a client may take to send a whole request. */
const REQUEST_TIMEOUT_MS = 30_000;

/** A reader that takes nothing for this long is cut. */
const STALL_MS = 60_000;

/** Answers that wait to be read on one connection: more is not written there. */
const UNTAKEN_BYTES = 16 * 1024 * 1024;

/** What is still on its way to a client when the server closes has this long to arrive. */
const CLOSE_MS = 5_000;

const LIMITS = {
  /** On one connection. A gateway may have many callers behind one; what each of them may open is bounded elsewhere. */
  "grpc.max_concurrent_streams": 256,
  // A peer that is gone without a word is noticed within 80 seconds, and with it the streams that were its own.
  "grpc.keepalive_time_ms": 60_000,
  "grpc.keepalive_timeout_ms": 20_000,
  // A connection on which nothing is called is closed; so is, once its calls are done, one that is old, for the sake of
  // balancers that only choose when a connection is made.
  "grpc.max_connection_idle_ms": 300_000,
  "grpc.max_connection_age_ms": 3_600_000,
  "grpc.enable_channelz": 0,
};

/**
 * The gRPC binding of all agents (A2A 1.0, 10; 0.3, 3.2.2), on a port of its own, without TLS like the HTTP one: that is for
 * the proxy before it.
 *
 * grpc-js is handed the connections, but does not listen: errors of listening come as they are, and at the end we know
 * which connections are left.
 */
export function createGrpcServer(edge: A2aEdge, options: GrpcServerOptions): GrpcServer {
  // Its own log goes to standard error, and holds what callers have sent.
  setLogVerbosity(logVerbosity.NONE);
  const { requestTimeoutMs = REQUEST_TIMEOUT_MS, stallMs = STALL_MS } = options;
  const methods = PROTOCOL_VERSIONS.flatMap(methodsOf);
  const statusesOf = statusesFor(options.compat);
  const doorman = new Doorman({ edge, methods, statusesOf, requestTimeoutMs });
  const handlers = new Handlers({
    edge,
    doorman,
    statusesOf,
    untaken: new Untaken({ stallMs, perConnection: UNTAKEN_BYTES }),
  });
  const grpc = new Server({
    ...LIMITS,
    "grpc.max_receive_message_length": options.messageLimit,
    interceptors: [doorman.interceptor],
  });
  for (const method of methods) {
    if (method.streams) grpc.register(method.path, handlers.streaming(method), asItIs, asItIs, "serverStream");
    else grpc.register(method.path, handlers.unary(method), asItIs, asItIs, "unary");
  }
  const injector = grpc.createConnectionInjector(ServerCredentials.createInsecure());
  keepHeadersLegal(grpc);
  const connections = new Set<Socket>();
  const listener = createServer((socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
    injector.injectConnection(socket);
  });
  listener.maxConnections = options.maxConnections;

  return {
    async listen() {
      await new Promise<void>((resolve, reject) => {
        listener.once("error", reject);
        listener.listen({ host: options.host, port: options.port }, () => {
          // From here on it is a connection that could not be taken, which is no reason to fall over.
          listener.off("error", reject).on("error", (fault) => edge.operations.onFault(fault));
          resolve();
        });
      });
      const address = listener.address();
      if (address === null || typeof address === "string") throw new Error("listens on no port");
      edge.publication.listensAt({ grpc: { host: options.host, port: address.port } });
      return { port: address.port };
    },
    async close() {
      const closed = new Promise((resolve) => listener.close(resolve));
      // Ends each connection when its last call has been answered.
      grpc.tryShutdown(() => {});
      const cut = setTimeout(() => {
        for (const socket of connections) socket.destroy();
      }, CLOSE_MS);
      await closed;
      clearTimeout(cut);
    },
  };
}

const asItIs = (bytes: Buffer): Buffer => bytes;
