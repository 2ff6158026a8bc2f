import { isIP } from "node:net";

/**
 * The URL that cards name: the configured one or, on loopback during development, the address that we listen on.
 * Undefined where neither is there; cards are then not served, since their URL is where clients send credentials.
 */
export function baseUrl(options: {
  publicBaseUrl?: string | undefined;
  mode: "development" | "production";
  host: string;
  port: number;
}): string | undefined {
  if (options.publicBaseUrl !== undefined) return options.publicBaseUrl.replace(/\/+$/, "");
  if (options.mode === "production" || !isLoopback(options.host)) return undefined;
  const host = isIP(options.host) === 6 ? `[${options.host}]` : options.host;
  return `http://${host}:${options.port}`;
}

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
