import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { Connections } from "./connections.js";

/** Longer than it takes to ask on a busy machine. */
const STALL_MS = 500;

describe("a connection", () => {
  let server: Server;
  let client: Socket;
  afterEach(() => {
    client.destroy();
    server.close();
  });

  /** A connection to a server that answers so, and when that side of it is gone. */
  async function connected(answer: RequestListener): Promise<{ gone: Promise<void> }> {
    const connections = new Connections();
    server = createServer({ keepAliveTimeout: 1 }, connections.oneByOne(answer));
    connections.cutStalled(server, STALL_MS);
    const gone = new Promise<void>((resolve) => {
      server.once("connection", (socket) => socket.once("close", () => resolve()));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    client = connect((server.address() as AddressInfo).port, "127.0.0.1");
    client.on("error", () => {});
    return { gone };
  }
  const GET = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  const large = Buffer.alloc(8 * 1024 * 1024);

  it("whose client does not take the answer is cut, and the next one is not begun", async () => {
    let answered = 0;
    const { gone } = await connected((_request, response) => {
      answered += 1;
      response.end(large);
    });
    client.pause();
    client.write(GET.repeat(20));
    await gone;
    expect(answered).toBe(1);
  });

  it("on which nothing is asked is cut", async () => {
    const { gone } = await connected((_request, response) => void response.end());
    await gone;
  });

  it("that waits for its answer is left alone", async () => {
    await connected((_request, response) => void setTimeout(() => response.end("late"), 2 * STALL_MS));
    client.write(GET);
    const text = await new Promise<string>((resolve) => client.once("data", (chunk) => resolve(String(chunk))));
    expect(text).toContain("late");
  });
});
