import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Tell } from "./peer-event.js";

const numbers = new WeakMap<Socket, number>();

/** Which connection of its server a socket is, from 1. */
export const connectionOf = (socket: Socket): number => numbers.get(socket) ?? 0;

/** An HTTP server on loopback that tells every byte that it is sent, also those of which no request comes. */
export async function startTappedServer(port: number, tell: Tell, answer: RequestListener): Promise<Server> {
  const server = createServer(answer);
  let connections = 0;
  server.on("connection", (socket: Socket) => {
    connections += 1;
    const connection = connections;
    numbers.set(socket, connection);
    socket.on("data", (bytes: Buffer) => tell({ type: "bytes", connection, base64: bytes.toString("base64") }));
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  tell({ type: "listening", port: portOf(server) });
  return server;
}

export const portOf = (server: Server): number => (server.address() as AddressInfo).port;
