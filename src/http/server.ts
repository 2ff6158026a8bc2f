import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type FastifyInstance, fastify } from "fastify";
import type { ProtocolVersion } from "../a2a/protocol/version.js";
import { Cards } from "../a2a/server/cards.js";
import { A2aCore, type CoreDeps } from "../a2a/server/core.js";
import { JsonRpcBinding } from "../a2a/server/json-rpc.js";
import { Streams } from "../a2a/server/stream.js";
import { Authenticator } from "../access/authenticate.js";
import type { KeyCache } from "../access/key-cache.js";
import type { PersonaRegistry } from "../personas/registry.js";
import { type Clock, systemClock } from "../shared/clock.js";
import { NuncioError } from "../shared/errors.js";
import { AgentEndpoint } from "./agent-endpoint.js";
import { ENDPOINTS } from "./agent-path.js";
import { ABSENT, reply as answer, failed } from "./answer.js";
import { baseUrl } from "./base-url.js";
import { cardRoutes } from "./card-routes.js";
import { GracefulClose } from "./close-gracefully.js";
import { Connections } from "./connections.js";
import { OpenCalls } from "./open-calls.js";

export interface HttpServerOptions {
  host: string;
  /** 0 takes a free one. */
  port: number;
  mode: "development" | "production";
  publicBaseUrl?: string | undefined;
  versions: readonly ProtocolVersion[];
  /** Whether a call without a credential is let in. */
  anonymous: boolean;
  defaultAgent?: string | undefined;
  /** How long a blocking call of A2A 0.3 waits. */
  blockingTimeoutMs: number;
  /** Version that cards name. */
  version: string;
  bodyLimit?: number;
  heartbeatMs?: number;
  stallMs?: number;
}

export interface HttpServerDeps extends CoreDeps {
  options: HttpServerOptions;
  personas: PersonaRegistry;
  keys: KeyCache;
  clock?: Clock;
  /** Told of errors that are ours: the caller sees none of it. */
  onFault(error: unknown): void;
}

export interface HttpServer {
  listen(): Promise<{ port: number }>;
  /** Takes no new requests, ends what waits, and resolves when every connection is closed. */
  close(): Promise<void>;
}

const BODY_LIMIT = 1024 * 1024;

/** How long a client may take to send a whole request. */
const REQUEST_TIMEOUT_MS = 30_000;

/** How long a client may keep a connection on which it asks nothing: longer than the usual proxy does. */
const KEEP_ALIVE_MS = 72_000;

const STALL_MS = 60_000;

/** The listener for everybody outside: agents and their cards. The operator's API is never served here. */
export function createHttpServer(deps: HttpServerDeps): HttpServer {
  const { options, personas, keys, clock = systemClock, onFault } = deps;
  const calls = new OpenCalls(clock);
  const stopListening = keys.onRevoked((keyId) => calls.endOfKey(keyId));
  const authenticator = new Authenticator(keys, clock, { anonymous: options.anonymous });
  const streams = new Streams({
    heartbeatMs: options.heartbeatMs ?? 15_000,
    stallMs: options.stallMs ?? STALL_MS,
  });
  const { versions, blockingTimeoutMs } = options;
  const binding = new JsonRpcBinding(new A2aCore(deps), { versions, blockingTimeoutMs, onFault });
  const bodyLimit = options.bodyLimit ?? BODY_LIMIT;
  const endpoint = new AgentEndpoint({ personas, authenticator, binding, streams, calls, bodyLimit, onFault });
  let cards: Cards | undefined;

  const closing = new GracefulClose();
  const listener = (framework: RequestListener) => {
    const handle: RequestListener = (request, response) => {
      if (!endpoint.serve(request, response)) framework(request, response);
    };
    return createListener(closing.counted(handle), options.stallMs ?? STALL_MS);
  };
  const app = createApp(listener, onFault);
  app.get("/healthz", (_request, reply) => reply.header("cache-control", "no-store").send({ status: "ok" }));
  cardRoutes(app, ENDPOINTS, {
    personas,
    authenticator,
    cards: () => cards,
    defaultAgent: options.defaultAgent,
    changedAt: clock.now(),
  });

  return {
    async listen() {
      await app.listen({ host: options.host, port: options.port });
      const { port } = app.server.address() as AddressInfo;
      const url = baseUrl({ ...options, port });
      const { anonymous, version } = options;
      cards = url === undefined ? undefined : new Cards({ baseUrl: url, versions, anonymous, version });
      return { port };
    },
    async close() {
      stopListening();
      calls.endAll();
      await closing.close(app.server, () => app.close());
    },
  };
}

function createListener(handle: RequestListener, stallMs: number): Server {
  const connections = new Connections();
  const server = createServer(
    { requestTimeout: REQUEST_TIMEOUT_MS, keepAliveTimeout: KEEP_ALIVE_MS },
    connections.oneByOne(handle),
  );
  connections.cutStalled(server, stallMs);
  return server;
}

function createApp(
  serverFactory: (handle: RequestListener) => Server,
  onFault: (error: unknown) => void,
): FastifyInstance {
  const app = fastify({
    serverFactory,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 256 },
    frameworkErrors: (_error, _request, reply) => {
      answer(reply, ABSENT);
    },
    logger: false,
  });
  // Before the body is read: what is sent to nowhere is not worth keeping.
  app.addHook("onRequest", (request, reply, done) => {
    if (request.is404) answer(reply, ABSENT);
    else done();
  });
  app.setErrorHandler((error, _request, reply) => {
    const status = (error as { statusCode?: unknown }).statusCode;
    if (typeof status === "number" && status >= 400 && status < 500) answer(reply, failed(badRequest()));
    else {
      onFault(error);
      answer(reply, failed(error));
    }
  });
  return app;
}

const badRequest = (): NuncioError =>
  new NuncioError("invalid_argument", "the request cannot be read", { reason: "INVALID_REQUEST" });
