import { z } from "zod";
import { httpUrl, object, port, text, wholeNumber } from "../fields.js";

const host = () =>
  text("a host name or an IP address", 253).regex(/^[A-Za-z0-9:._-]+$/, {
    error: "use a host name or an IP address such as 127.0.0.1, without scheme and port",
  });

export const publicBaseUrl = httpUrl();

export const server = object({
  host: host().default("127.0.0.1"),
  port: port().default(4700),
  grpcPort: port().optional(),
  grpcPublicUrl: text("HOST:PORT", 300)
    .refine(isHostAndPort, { error: "is not HOST:PORT; use one such as agents.example.com:443" })
    .optional(),
  publicBaseUrl: publicBaseUrl.optional(),
  /** Of one request, on every binding. */
  maxBodyBytes: wholeNumber(1024, 64 * 1024 * 1024).default(1024 * 1024),
  /** On the HTTP listener, at a time. */
  maxConnections: wholeNumber(1, 1_000_000).default(10_000),
});

/** The operator's listener. */
export const console = z.union(
  [z.literal(false), object({ host: host().default("127.0.0.1"), port: port().default(4710) })],
  { error: "use false, or a map with the keys host, port" },
);

/** `example.com:443`, `[::1]:443` */
export function isHostAndPort(candidate: string): boolean {
  const match = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):(\d{1,5})$/.exec(candidate);
  return match !== null && wholeNumber(1, 65_535).safeParse(Number(match[2])).success;
}
