import type { Socket } from "node:net";
import type { Client, Dispatcher } from "undici";
import { invalidArgument, NuncioError } from "../shared/errors.js";
import { boundedBody } from "./bounded-body.js";
import type { Checked } from "./check.js";
import type { Deadline } from "./deadline.js";
import { dial } from "./dial.js";
import { broken, redirected, timedOut, tooLarge } from "./errors.js";
import type { OutboundLimits } from "./limits.js";

export interface Exchange {
  checked: Checked;
  method: string;
  headers: Headers;
  body: string | Uint8Array | undefined;
  limits: OutboundLimits;
  deadline: Deadline;
  ca?: readonly string[] | undefined;
}

/**
 * One request on a connection of its own, made to a checked address and closed afterwards: no connection is ever there
 * for another request to find. Redirects are errors; proxies of the environment are not asked.
 *
 * The deadline ends with the answer's body, however that ends.
 */
export async function guardedFetch(exchange: Exchange): Promise<Response> {
  const { checked, limits, deadline, ca } = exchange;
  const { host } = checked.target;
  const { Client } = await import("undici");
  const connecting = deadline.within(limits.connectMs, () => timedOut(host, "connect", limits.connectMs, false));
  const socket = await dial(checked, deadline.signal, ca);
  connecting.over();
  const client = new Client(checked.target.url.origin, {
    connect: handOver(socket),
    pipelining: 1,
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.headersMs,
    bodyTimeout: limits.idleMs,
  });
  const over = () => {
    deadline.end();
    client.destroy().catch(() => {});
    socket.destroy();
  };
  try {
    const answer = await request(client, exchange);
    return toResponse(answer, exchange, over);
  } catch (error) {
    over();
    throw explained(error, exchange);
  }
}

/** Gives the client the one connection that it may have; when that is lost, there is no second. */
function handOver(socket: Socket): NonNullable<Client.Options["connect"]> {
  let given = false;
  return (_options, callback) => {
    const lost = given || socket.destroyed;
    given = true;
    // Not at once: the client is in the middle of asking, and would not hear the answer.
    queueMicrotask(() => (lost ? callback(new Error("the connection was closed"), null) : callback(null, socket)));
  };
}

function request(client: Client, { checked, method, headers, body, deadline }: Exchange) {
  const { pathname, search } = checked.target.url;
  return client.request({
    path: pathname + search,
    method: method as Dispatcher.HttpMethod,
    headers: [...headers].flat(),
    body: body ?? null,
    signal: deadline.signal,
  });
}

function toResponse(answer: Dispatcher.ResponseData, exchange: Exchange, over: () => void): Response {
  const { limits, checked, method } = exchange;
  const { host } = checked.target;
  const { statusCode: status, body } = answer;
  if (status >= 300 && status < 400) throw discarded(answer, redirected(host));
  // `Response` has no other ones.
  if (status < 200 || status > 599) throw discarded(answer, broken(host));
  if (Number(answer.headers["content-length"]) > limits.maxBytes && method !== "HEAD") {
    throw discarded(answer, tooLarge(host, "body", limits.maxBytes));
  }
  const init = { status, headers: headersOf(answer) };
  if (method === "HEAD" || status === 204 || status === 205) {
    discard(answer);
    over();
    return new Response(null, init);
  }
  const stream = boundedBody(body, limits.maxBytes, {
    failed: (error) => explained(error, exchange),
    tooLarge: () => tooLarge(host, "body", limits.maxBytes),
    over,
  });
  return new Response(stream, init);
}

function discarded(answer: Dispatcher.ResponseData, error: NuncioError): NuncioError {
  discard(answer);
  return error;
}

/** Unread; that it is cut off is an error to it, which nobody has to hear of. */
const discard = ({ body }: Dispatcher.ResponseData) => body.on("error", () => {}).destroy();

/** Those that `Headers` takes; others are not HTTP, and nobody has asked for them. */
function headersOf(answer: Dispatcher.ResponseData): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(answer.headers)) {
    for (const value of [values ?? []].flat()) {
      try {
        headers.append(name, value);
      } catch {}
    }
  }
  return headers;
}

/** What undici says, as an error of ours; an abort as its own reason. */
function explained(error: unknown, { checked, limits, deadline }: Exchange): unknown {
  if (deadline.signal.aborted) return deadline.signal.reason;
  if (NuncioError.is(error)) return error;
  const { host } = checked.target;
  switch ((error as { code?: string }).code) {
    case "UND_ERR_HEADERS_TIMEOUT":
      return timedOut(host, "headers", limits.headersMs, true);
    case "UND_ERR_BODY_TIMEOUT":
      return timedOut(host, "body", limits.idleMs, true);
    case "UND_ERR_HEADERS_OVERFLOW":
      return tooLarge(host, "headers", limits.maxHeaderBytes);
    case "UND_ERR_INVALID_ARG":
    case "UND_ERR_NOT_SUPPORTED":
      return invalidArgument("headers", "the request is not one that HTTP can carry", {
        details: { sent: false },
        cause: error,
      });
    default:
      return broken(host, error);
  }
}
