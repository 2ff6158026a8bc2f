import type { EventEmitter } from "node:events";
import type { IncomingHttpHeaders } from "node:http2";
import type { Server } from "@grpc/grpc-js";

/** What grpc-js takes for metadata (PROTOCOL-HTTP2.md, ASCII-Value and Header-Name). */
const LEGAL_NAME = /^:?[0-9a-z_.-]+$/;
const LEGAL_VALUE = /^[\x20-\x7e]*$/;

/** In place of a value that is not legal: no credential, no agent and no version. */
const ILLEGAL = "?";

/**
 * Has grpc-js see nothing that it would not take. It leaves such a header out, so that a broken credential would be none,
 * and a broken name of an agent the default agent; and it quotes it, secrets and all, on standard error.
 *
 * @param server with its connection injector, by which the HTTP/2 server is there; grpc-js keeps that to itself
 */
export function keepHeadersLegal(server: Server): void {
  const { http2Servers } = server as unknown as { http2Servers?: Map<EventEmitter, unknown> };
  if (!(http2Servers instanceof Map) || http2Servers.size !== 1) {
    throw new Error("grpc-js has no HTTP/2 server where it had one before");
  }
  for (const http2 of http2Servers.keys()) {
    http2.prependListener("stream", (_stream: unknown, headers: IncomingHttpHeaders, _flags: number, raw: string[]) => {
      makeLegal(headers);
      // Of two credentials Node passes on the first, and whoever is before us may have looked at the second.
      if (raw.indexOf("authorization") !== raw.lastIndexOf("authorization")) headers.authorization = ILLEGAL;
    });
  }
}

function makeLegal(headers: IncomingHttpHeaders): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!LEGAL_NAME.test(name)) delete headers[name];
    else if (!isLegal(value)) headers[name] = ILLEGAL;
  }
}

const isLegal = (value: string | string[] | undefined): boolean =>
  value === undefined ||
  (typeof value === "string" ? LEGAL_VALUE.test(value) : value.every((one) => LEGAL_VALUE.test(one)));
