import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Connections } from "./connections.js";

export interface ListenerLimits {
  /** Connections at a time; one more is closed as it comes. */
  maxConnections: number;
  /** How long a connection may take nothing, or say nothing between requests and within a stream, ms. */
  stallMs: number;
  /** How long a client may take to send the head of a request, ms. */
  headMs?: number;
  /** How long a client may take to send a whole request, ms. */
  requestMs?: number;
}

const HEAD_MS = 10_000;
const REQUEST_MS = 30_000;

/** How often requests that take too long are looked for, at most. */
const LOOK_MS = 5_000;

/** How long a client may keep a connection on which it asks nothing: longer than the usual proxy does. */
const KEEP_ALIVE_MS = 72_000;

/** After a minute of silence the system asks whether the other side is still there, also in the middle of a stream. */
const PROBE_AFTER_MS = 60_000;

const HEAD_BYTES = 16 * 1024;

/** An HTTP listener that nobody can keep busy by being slow, silent or many. */
export function createListener(handle: RequestListener, limits: ListenerLimits): Server {
  const { headMs = HEAD_MS, requestMs = REQUEST_MS, stallMs, maxConnections } = limits;
  const connections = new Connections();
  const answer = connections.oneByOne(handle);
  const server = createServer(
    {
      headersTimeout: headMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: Math.min(LOOK_MS, headMs),
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: HEAD_BYTES,
      // Of two Authorization headers Node would drop one, and whoever is before us may have looked at that one.
      joinDuplicateHeaders: true,
      keepAlive: true,
      keepAliveInitialDelay: PROBE_AFTER_MS,
    },
    answer,
  );
  // Node would answer 417 past us, as often as somebody likes. What is expected is passed over (RFC 9110, 10.1.1).
  server.on("checkExpectation", answer);
  server.maxConnections = maxConnections;
  connections.cutStalled(server, stallMs);
  return server;
}

/** Resolves with the port. */
export function listening(server: Server, { host, port }: { host: string; port: number }): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.removeListener("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}
