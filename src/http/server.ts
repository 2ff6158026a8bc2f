import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { ProtocolVersion } from "../a2a/protocol/version.js";
import type { A2aEdge } from "../a2a/server/edge.js";
import { JsonRpcBinding } from "../a2a/server/json-rpc/binding.js";
import { Streams } from "../a2a/server/sse/streams.js";
import { AgentEndpoint } from "./agent-endpoint.js";
import { ABSENT, type Answer, write } from "./answer.js";
import { CardEndpoint } from "./card-endpoint.js";
import { GracefulClose } from "./close-gracefully.js";
import { Connections } from "./connections.js";
import { serveWellKnown } from "./well-known.js";

export interface HttpServerOptions {
  host: string;
  /** 0 takes a free one. */
  port: number;
  versions: readonly ProtocolVersion[];
  bodyLimit?: number;
  heartbeatMs?: number;
  stallMs?: number;
}

export interface HttpServerDeps {
  options: HttpServerOptions;
  edge: A2aEdge;
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

export const BODY_LIMIT = 1024 * 1024;

/** How long a client may take to send a whole request. */
const REQUEST_TIMEOUT_MS = 30_000;

/** How long a client may keep a connection on which it asks nothing: longer than the usual proxy does. */
const KEEP_ALIVE_MS = 72_000;

const STALL_MS = 60_000;

/** The listener for everybody outside: agents and their cards. The operator's API is never served here. */
export function createHttpServer(deps: HttpServerDeps): HttpServer {
  const { options, edge, onFault } = deps;
  const { gate, calls, publication } = edge;
  const streams = new Streams({
    heartbeatMs: options.heartbeatMs ?? 15_000,
    stallMs: options.stallMs ?? STALL_MS,
  });
  const { versions } = options;
  const binding = new JsonRpcBinding(edge.operations, versions);
  const bodyLimit = options.bodyLimit ?? BODY_LIMIT;
  const endpoint = new AgentEndpoint({ gate, binding, streams, calls, bodyLimit, onFault });
  const card = new CardEndpoint({ gate, publication, onFault });
  const closing = new GracefulClose();
  const handle: RequestListener = (request, response) => {
    if (endpoint.serve(request, response) || card.serve(request, response)) return;
    if (serveWellKnown(publication, request, response)) return;
    if (!isHealthCheck(request)) write(response, ABSENT);
    else if (deps.health === undefined) write(response, HEALTHY);
    else deps.health().then(({ available }) => write(response, available ? HEALTHY : UNHEALTHY), onFault);
  };
  const server = createListener(closing.counted(handle), options.stallMs ?? STALL_MS);

  return {
    async listen() {
      await listening(server, options);
      const { port } = server.address() as AddressInfo;
      publication.listensAt({ http: { host: options.host, port } });
      return { port };
    },
    async close() {
      await closing.close(server);
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

function listening(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.removeListener("error", reject);
      resolve();
    });
  });
}

const HEALTHY: Answer = { status: 200, body: '{"status":"ok"}', headers: { "cache-control": "no-store" } };

/** New work is refused, and what runs is kept: a balancer sends it to another node. Why is for the operator alone. */
const UNHEALTHY: Answer = { status: 503, body: '{"status":"unavailable"}', headers: { "cache-control": "no-store" } };

const isHealthCheck = ({ method, url = "" }: IncomingMessage): boolean =>
  (method === "GET" || method === "HEAD") && /^\/healthz\/?(?:[?#]|$)/.test(url);
