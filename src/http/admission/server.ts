import { Streams } from "../../a2a/server/sse/streams.js";
import { GracefulClose } from "../close-gracefully.js";
import { createListener, type ListenerLimits, listening } from "../listener.js";
import type { HttpServer } from "../server.js";
import { AdmissionEndpoint, type AdmissionEndpointDeps } from "./endpoint.js";

export interface AdmissionServerOptions {
  host: string;
  /** 0 takes a free one. */
  port: number;
  heartbeatMs?: number;
  limits?: Partial<ListenerLimits>;
}

/** Of a request for one analysis: a few pages, and what belongs to them. */
const PEER_BODY_BYTES = 256 * 1024;

const STALL_MS = 60_000;

/**
 * A handful of peers, each with a few streams: what strangers open beyond that is closed as it comes, and those who
 * say nothing are cut after seconds, before anything was done for them.
 */
const LIMITS: ListenerLimits = { maxConnections: 256, stallMs: STALL_MS, headMs: 5_000, requestMs: 15_000 };

/** The listener for peers that a grant lets in. It has a port of its own, on this machine alone. */
export function createAdmissionServer(
  { host, port, heartbeatMs = 15_000, limits }: AdmissionServerOptions,
  deps: Omit<AdmissionEndpointDeps, "streams" | "bodyLimit">,
): HttpServer {
  const bounds = { ...LIMITS, ...limits };
  const streams = new Streams({ heartbeatMs, stallMs: bounds.stallMs });
  const endpoint = new AdmissionEndpoint({ ...deps, streams, bodyLimit: PEER_BODY_BYTES });
  const closing = new GracefulClose();
  const server = createListener(
    closing.counted((request, response) => endpoint.serve(request, response)),
    bounds,
  );
  return {
    listen: async () => ({ port: await listening(server, { host, port }) }),
    close: () => closing.close(server),
  };
}
