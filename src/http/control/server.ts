import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { NuncioError } from "../../shared/errors.js";
import { newId } from "../../shared/ids.js";
import type { ControlDeps } from "./deps.js";
import { errorAnswer } from "./error-table.js";
import { jsonBody } from "./json-body.js";
import { listenOnSocket } from "./listen.js";
import type { Operation } from "./operation.js";
import { type Routed, router } from "./router.js";
import { writeLines } from "./write-lines.js";

/** Answers that are on their way get this long at a shutdown. */
const CLOSE_MS = 1000;

export interface ControlServer {
  /** Opens the socket at `path`, from `controlSocketPath`. */
  listen(path: string): Promise<void>;
  /** Loads what the first request would otherwise wait for. */
  warmUp(): Promise<void>;
  /** Ends open streams, takes no new requests, and removes the socket. */
  close(): Promise<void>;
}

/** The operator's API: JSON over HTTP on a Unix socket, whose file permissions are the authentication. */
export function createControlServer(deps: ControlDeps): ControlServer {
  let loading: Promise<Route> | undefined;
  const route = () => {
    loading ??= loadRoutes().catch((error) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
  const closing = new AbortController();
  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000 }, (request, response) => {
    void answer(request, response, route, deps, closing.signal);
  });
  return {
    listen: (path) => listenOnSocket(server, path),
    warmUp: async () => {
      await route();
    },
    close: () =>
      new Promise((resolve) => {
        closing.abort();
        // Whoever neither reads nor finishes what he sends must not keep the daemon from stopping.
        const cut = setTimeout(() => server.closeAllConnections(), CLOSE_MS);
        server.close(() => {
          clearTimeout(cut);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}

type Route = (method: string, path: string) => Routed;

/** Every operation has a file and its schemas: nothing that callers of agents should wait for at a start. */
async function loadRoutes(): Promise<Route> {
  return router((await import("./operations/index.js")).operations);
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  routes: () => Promise<Route>,
  deps: ControlDeps,
  closing: AbortSignal,
): Promise<void> {
  const requestId = newId();
  const left = new AbortController();
  response.on("close", () => left.abort());
  const signal = AbortSignal.any([left.signal, closing]);
  response.setHeader("nuncio-version", deps.info().version);
  response.setHeader("nuncio-request-id", requestId);
  let operation: Operation | undefined;
  try {
    const url = urlOf(request);
    const route = await routes();
    const routed = route(request.method ?? "GET", url.pathname);
    operation = routed.operation;
    const input = { ...query(url), ...(await jsonBody(request)), ...routed.params };
    const result = await operation.run(input, deps, signal);
    if (result.type === "json") return send(response, result.status, result.value);
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    response.flushHeaders();
    await writeLines(response, result.lines, signal);
    // A stream that the shutdown cuts off must not look like one that is complete.
    if (closing.aborted) throw shuttingDown();
    response.end();
  } catch (cause) {
    // Whoever has left hears nothing of it, and what we have given up ourselves is no fault.
    const error = signal.aborted && cause === signal.reason ? shuttingDown() : cause;
    if (!(error instanceof NuncioError) || error.code === "internal") {
      const name = operation === undefined ? "-" : `${operation.method} ${operation.path}`;
      deps.log.error({ err: error, requestId, operation: name }, "control request failed");
    }
    fail(request, response, error, requestId);
  }
}

const shuttingDown = (): NuncioError =>
  new NuncioError("unavailable", "the daemon is shutting down", { reason: "SHUTTING_DOWN" });

function fail(request: IncomingMessage, response: ServerResponse, error: unknown, requestId: string): void {
  const { status, body } = errorAnswer(error, requestId);
  if (response.headersSent) {
    response.end(`${JSON.stringify({ type: "error", ...body })}\n`);
    return;
  }
  // What is left of a body that was too large is not read: the connection cannot be used again.
  if (!request.complete) response.setHeader("connection", "close");
  send(response, status, body);
}

function send(response: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value);
  response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
  response.end(body);
}

/** What stands in the request line is only mostly a path. */
function urlOf({ url = "/" }: IncomingMessage): URL {
  try {
    return new URL(url.startsWith("/") ? `http://control${url}` : url);
  } catch {
    throw new NuncioError("invalid_argument", "the request's target is not a URL");
  }
}

function query(url: URL): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [name, value] of url.searchParams) fields[name] = value;
  return fields;
}
