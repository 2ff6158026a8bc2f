import type { ServerResponse } from "node:http";

/**
 * Writes a piece of a response that has begun, in one write to its connection (RFC 9112, 7.1). `response.write` makes
 * four of it and puts them off to the next tick: 12 µs for each of the streams that an event goes to.
 *
 * @returns false when the connection is full: its `drain` says when it is not any more
 */
export function writeChunk(response: ServerResponse, text: string): boolean {
  const { socket } = response;
  // Callers of HTTP/1.0 get a body without chunks.
  if (!socket || !response.chunkedEncoding) return response.write(text);
  const length = Buffer.byteLength(text);
  return socket.write(`${length.toString(16)}\r\n${text}\r\n`, length === text.length ? "latin1" : "utf8");
}

/**
 * The first piece of a response whose head has been set, together with that head. From Node 24 on `response.write` keeps
 * both back until the next tick, where a piece that `writeChunk` writes before that would overtake them.
 */
export function writeFirstChunk(response: ServerResponse, text: string): boolean {
  const { socket } = response;
  if (!socket || !response.chunkedEncoding) return response.write(text);
  socket.cork();
  response.flushHeaders();
  const room = writeChunk(response, text);
  socket.uncork();
  return room;
}
