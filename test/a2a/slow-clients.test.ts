import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { type Edge, rpc, sendV1, startEdge } from "../support/a2a-edge.js";

/** How long the listeners of these tests are patient. */
const limits = { headMs: 150, requestMs: 300, stallMs: 400, maxConnections: 3 };

describe("clients that are slow, silent or many", () => {
  let edge: Edge;
  const sockets: Socket[] = [];
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await edge.stop();
    expect(edge.faults).toEqual([]);
  });

  function open(): { socket: Socket; ended: Promise<string> } {
    const { hostname, port } = new URL(edge.origin);
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("error", () => {});
    return { socket, ended: new Promise((resolve) => socket.once("close", () => resolve(text))) };
  }
  const start = async () => {
    edge = await startEdge({ http: { limits } });
  };
  const stillServes = async () => {
    const { authorization } = await edge.key("me");
    const { json } = await rpc(edge.urlOf("echo"), sendV1("hi"), { authorization, "a2a-version": "1.0" });
    expect(json.result.task.status.state).toBe("TASK_STATE_COMPLETED");
  };

  it.each([
    ["says nothing at all", ""],
    ["begins a request and stops", "POST /v1/agents/echo/a2a HTTP/1.1\r\nHost: x\r\nX-Slow: "],
    ["sends the head and no body", "POST /v1/agents/echo/a2a HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{"],
  ])("E24 R5 a client that %s is cut off", async (_what, sent) => {
    await start();
    const { socket, ended } = open();
    socket.write(sent);
    const text = await ended;
    if (text !== "") expect(text).toMatch(/^HTTP\/1\.1 (?:401|408) /);
    expect(text).not.toMatch(/\bat \S+:\d+/);
    await stillServes();
  });

  it("E24 R5 a client that sends its head byte by byte is cut off", async () => {
    await start();
    const { socket, ended } = open();
    const head = "POST /v1/agents/echo/a2a HTTP/1.1\r\nHost: x\r\n";
    let at = 0;
    const drip = setInterval(() => {
      if (!socket.destroyed) socket.write(at < head.length ? (head[at++] as string) : "X: y\r\n");
    }, 5);
    await ended;
    clearInterval(drip);
    await stillServes();
  });

  it.each([
    ["a head of 20 KiB", `GET / HTTP/1.1\r\nHost: x\r\nX: ${"y".repeat(20_000)}\r\n\r\n`, 431],
    ["something that is not HTTP", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400],
    ["a request of two lengths", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400],
    [
      "a length and chunks at once",
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      400,
    ],
    ["no host", "GET /healthz HTTP/1.1\r\n\r\n", 400],
  ])("E24 R5 refuses %s and closes", async (_what, sent, status) => {
    await start();
    const { socket, ended } = open();
    socket.write(sent, "latin1");
    expect(await ended).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    await stillServes();
  });

  it("E24 R5 more connections than are allowed are closed as they come, and who is there is served on", async () => {
    await start();
    const held = [open(), open()];
    await Promise.all(held.map(({ socket }) => new Promise((resolve) => socket.once("connect", resolve))));
    const more = Array.from({ length: 5 }, () => open());
    const closed = await Promise.race([
      Promise.all(more.slice(1).map(({ ended }) => ended)),
      new Promise<null>((resolve) => setTimeout(resolve, 10_000, null)),
    ]);
    expect(closed).toEqual(["", "", "", ""]);
  });
});
