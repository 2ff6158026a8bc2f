import type { IncomingMessage, RequestListener } from "node:http";
import type { A2aEdge } from "../a2a/server/edge.js";
import { JsonRpcBinding } from "../a2a/server/json-rpc/binding.js";
import { RestBinding } from "../a2a/server/rest/binding.js";
import { Streams } from "../a2a/server/sse/streams.js";
import { AgentEndpoint } from "./agent-endpoint.js";
import { type AgentKeysDeps, AgentKeysEndpoint } from "./agent-keys-endpoint.js";
import { ABSENT, type Answer, write } from "./answer.js";
import { CardEndpoint } from "./card-endpoint.js";
import { GracefulClose } from "./close-gracefully.js";
import { createListener, type ListenerLimits, listening } from "./listener.js";
import { RestEndpoint } from "./rest-endpoint.js";
import { serveWellKnown } from "./well-known.js";

export interface HttpServerOptions {
  host: string;
  /** 0 takes a free one. */
  port: number;
  bodyLimit?: number;
  heartbeatMs?: number;
  /** `a2a.compat`; 1.0.1 when absent. */
  compat?(): "1.0.1" | "1.0.0";
  limits?: Partial<ListenerLimits>;
}

export interface HttpServerDeps {
  options: HttpServerOptions;
  edge: A2aEdge;
  /** The keys that an agent signs with; absent where agents have no tokens. */
  agentKeysOf?: AgentKeysDeps["keysOf"] | undefined;
  /** Whether what is asked of us can be recorded. Without it that is taken for granted. */
  health?(): Promise<{ available: boolean }>;
  /** Told of errors that are ours: the caller sees none of it. */
  onFault(error: unknown): void;
}

export interface HttpServer {
  listen(): Promise<{ port: number }>;
  /** Takes no new requests, ends what waits, and resolves when every connection is closed. */
  close(): Promise<void>;
}

const BODY_LIMIT = 1024 * 1024;

const STALL_MS = 60_000;

const MAX_CONNECTIONS = 10_000;

/** The listener for everybody outside: agents and their cards. The operator's API is never served here. */
export function createHttpServer(deps: HttpServerDeps): HttpServer {
  const { options, edge, agentKeysOf: keysOf, onFault } = deps;
  const { gate, calls, publication } = edge;
  const streams = new Streams({
    heartbeatMs: options.heartbeatMs ?? 15_000,
    stallMs: options.limits?.stallMs ?? STALL_MS,
  });
  const binding = new JsonRpcBinding(edge.operations);
  const bodyLimit = options.bodyLimit ?? BODY_LIMIT;
  const endpoint = new AgentEndpoint({ gate, binding, streams, calls, bodyLimit, onFault });
  const restBinding = new RestBinding(edge.operations, options.compat ?? (() => "1.0.1"));
  const rest = new RestEndpoint({ gate, binding: restBinding, streams, calls, bodyLimit });
  const card = new CardEndpoint({ gate, publication, onFault });
  const agentKeys = keysOf === undefined ? undefined : new AgentKeysEndpoint({ gate, keysOf, onFault });
  const closing = new GracefulClose();
  const handle: RequestListener = (request, response) => {
    if (endpoint.serve(request, response) || card.serve(request, response) || rest.serve(request, response)) return;
    if (serveWellKnown(publication, request, response) || agentKeys?.serve(request, response) === true) return;
    if (!isHealthCheck(request)) write(response, ABSENT);
    else if (deps.health === undefined) write(response, HEALTHY);
    else deps.health().then(({ available }) => write(response, available ? HEALTHY : UNHEALTHY), onFault);
  };
  const server = createListener(closing.counted(handle), {
    maxConnections: MAX_CONNECTIONS,
    stallMs: STALL_MS,
    ...options.limits,
  });

  return {
    async listen() {
      const port = await listening(server, options);
      publication.listensAt({ http: { host: options.host, port } });
      return { port };
    },
    async close() {
      await closing.close(server);
    },
  };
}

const HEALTHY: Answer = { status: 200, body: '{"status":"ok"}', headers: { "cache-control": "no-store" } };

/** New work is refused, and what runs is kept: a balancer sends it to another node. Why is for the operator alone. */
const UNHEALTHY: Answer = { status: 503, body: '{"status":"unavailable"}', headers: { "cache-control": "no-store" } };

const isHealthCheck = ({ method, url = "" }: IncomingMessage): boolean =>
  (method === "GET" || method === "HEAD") && /^\/healthz\/?(?:[?#]|$)/.test(url);
