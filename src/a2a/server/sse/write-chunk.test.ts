import { createServer, request, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, expect, it } from "vitest";
import { writeChunk, writeFirstChunk } from "./write-chunk.js";

const PIECES = ["data: first\n\n", "data: é – 十二 🐦\n\n", ":\n\n"];

let close = () => {};
afterEach(() => close());

async function serving(): Promise<number> {
  const server = createServer((_request, response: ServerResponse) => {
    const [first, ...rest] = PIECES as [string, ...string[]];
    response.writeHead(200);
    writeFirstChunk(response, first);
    for (const piece of rest) writeChunk(response, piece);
    response.end();
  });
  close = () => server.close();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

it("pieces arrive as they are and in order, and the connection goes on after the last", async () => {
  const port = await serving();
  const socket = connect(port, "127.0.0.1");
  const read = () =>
    new Promise<string>((resolve, reject) => {
      const asked = request({ createConnection: () => socket, headers: { connection: "keep-alive" } }, (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk) => {
          text += chunk;
        });
        response.on("end", () => resolve(text));
      });
      asked.on("error", reject);
      asked.end();
    });
  expect(await read()).toBe(PIECES.join(""));
  expect(await read()).toBe(PIECES.join(""));
  socket.destroy();
});

it("callers of HTTP/1.0 get no chunks", async () => {
  const port = await serving();
  const text = await new Promise<string>((resolve) => {
    let received = "";
    const socket = connect(port, "127.0.0.1", () => socket.write("GET / HTTP/1.0\r\n\r\n"));
    socket.setEncoding("utf8");
    socket.on("data", (chunk) => {
      received += chunk;
    });
    socket.on("end", () => resolve(received));
  });
  expect(text.slice(text.indexOf("\r\n\r\n") + 4)).toBe(PIECES.join(""));
});
