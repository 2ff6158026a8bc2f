import type { A2aEdge } from "../a2a/server/edge.js";
import type { GrpcServer } from "../a2a/server/grpc/server.js";
import type { Config } from "../config/config.js";
import { listenRefusal } from "./listen-refusal.js";

/** The gRPC listener as it was opened. */
export interface GrpcListener {
  /** `HOST:PORT` */
  address: string;
  close: GrpcServer["close"];
}

/**
 * Opens the gRPC listener where there is to be one. Its libraries are loaded only then: they would take as long as the rest
 * of the start.
 *
 * @param edge what it shares with the HTTP listener, after which it is opened
 * @param current the configuration that is in force
 */
export async function openGrpc(edge: A2aEdge, current: () => Config): Promise<GrpcListener | null> {
  const { host, grpcPort, maxBodyBytes, maxConnections } = current().server;
  if (grpcPort === undefined) return null;
  const { createGrpcServer } = await import("../a2a/server/grpc/server.js");
  const server = createGrpcServer(edge, {
    host,
    port: grpcPort,
    compat: () => current().a2a.compat,
    messageLimit: maxBodyBytes,
    maxConnections,
  });
  const { port } = await server.listen().catch((error) => {
    throw listenRefusal(error, { host, port: grpcPort }, "server.grpcPort");
  });
  return { address: `${host.includes(":") ? `[${host}]` : host}:${port}`, close: () => server.close() };
}
