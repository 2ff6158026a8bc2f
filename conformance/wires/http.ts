import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { Agent as SecureAgent, request as secureRequest } from "node:https";
import type { Facts } from "./wire.js";

export interface HttpRequest {
  method: string;
  headers?: Record<string, string | undefined>;
  body?: string | Buffer | undefined;
}

export interface HttpReply {
  facts: Facts;
  message: IncomingMessage;
  text(): Promise<string>;
}

const agent = new Agent({ keepAlive: true });
const secureAgent = new SecureAgent({ keepAlive: true });

/** One request as it is written here: no header is added but those that HTTP needs. */
export function http(url: string, { method, headers = {}, body }: HttpRequest): Promise<HttpReply> {
  const target = new URL(url);
  const secure = target.protocol === "https:";
  const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >;
  if (body !== undefined) sent["content-length"] = String(Buffer.byteLength(body));
  return new Promise((resolve, reject) => {
    const options = { method, headers: sent, agent: secure ? secureAgent : agent };
    const call = (secure ? secureRequest : request)(target, options, (message) => {
      resolve({
        facts: { status: message.statusCode as number, headers: flat(message.headers) },
        message,
        text: () => textOf(message),
      });
    });
    call.on("error", reject);
    call.end(body);
  });
}

const flat = (headers: IncomingHttpHeaders): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]),
  );

async function textOf(message: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of message) pieces.push(piece as Buffer);
  return new TextDecoder("utf8", { fatal: true }).decode(Buffer.concat(pieces));
}
