import { isIP } from "node:net";

/** Where a listener of ours listens. */
export interface Address {
  host: string;
  port: number;
}

/** What is configured of how the outside reaches us. */
export interface PublicUrls {
  mode: "development" | "production";
  publicBaseUrl?: string | undefined;
  /** `HOST:PORT` */
  grpcPublicUrl?: string | undefined;
}

/**
 * The URL that cards name: the configured one or, on loopback during development, the address that we listen on.
 * Undefined where neither is there; cards are then not served, since their URL is where clients send credentials.
 */
export function baseUrl({ publicBaseUrl, mode }: PublicUrls, listener: Address | undefined): string | undefined {
  if (listener === undefined) return undefined;
  if (publicBaseUrl !== undefined) return publicBaseUrl.replace(/\/+$/, "");
  return mode === "development" && isLoopback(listener.host) ? `http://${hostAndPort(listener)}` : undefined;
}

/** The same for gRPC, whose clients want `HOST:PORT`. Undefined where cards should not name gRPC. */
export function grpcUrl({ grpcPublicUrl, mode }: PublicUrls, listener: Address | undefined): string | undefined {
  if (listener === undefined || grpcPublicUrl !== undefined) return listener && grpcPublicUrl;
  return mode === "development" && isLoopback(listener.host) ? hostAndPort(listener) : undefined;
}

const hostAndPort = ({ host, port }: Address): string => (isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`);

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
