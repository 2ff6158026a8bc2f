import type { ServerHttp2Stream } from "node:http2";
import type { ServerInterceptingCallInterface } from "@grpc/grpc-js";
import type { Connection } from "../gate.js";

/**
 * The HTTP/2 stream under a call. grpc-js keeps it to itself, and offers nothing else that ends a stream whose other side
 * does not: without it, whoever never ends a request, or never reads an answer, holds both for as long as it likes.
 *
 * @param call as the first interceptor gets it
 */
export function streamUnder(call: ServerInterceptingCallInterface): ServerHttp2Stream {
  const { stream } = call as unknown as { stream?: ServerHttp2Stream };
  if (typeof stream?.close !== "function") throw new Error("grpc-js has no stream where it had one before");
  return stream;
}

const connections = new WeakMap<object, Connection>();

/**
 * The connection of a stream that has just come. Kept as a thing of its own: that of Node throws at whoever asks it for
 * anything once the client has gone.
 */
export function connectionOf({ session }: ServerHttp2Stream): Connection {
  if (session === undefined) return {};
  const known = connections.get(session);
  if (known !== undefined) return known;
  const connection: Connection = session.destroyed ? {} : { remoteAddress: session.socket.remoteAddress };
  connections.set(session, connection);
  return connection;
}
