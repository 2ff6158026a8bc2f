import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Edge, startEdge } from "../support/a2a-edge.js";

describe("what one connection can cost", () => {
  let edge: Edge;
  let key: string;
  const sockets: Socket[] = [];
  beforeEach(async () => {
    edge = await startEdge();
    ({ key } = await edge.key("client"));
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await edge.stop();
    expect(edge.faults).toEqual([]);
  });

  function open(): Socket {
    const { hostname, port } = new URL(edge.origin);
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {});
    sockets.push(socket);
    return socket;
  }

  const send = (text: string, persona = "echo"): string => {
    const message = { messageId: text, role: "ROLE_USER", parts: [{ text }] };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "SendMessage", params: { message } });
    return [
      `POST /v1/agents/${persona}/a2a HTTP/1.1`,
      "Host: nuncio",
      "A2A-Version: 1.0",
      `Authorization: Bearer ${key}`,
      "Content-Type: application/json",
      `Content-Length: ${Buffer.byteLength(body)}`,
      "",
      body,
    ].join("\r\n");
  };
  const closed = (socket: Socket) => new Promise<void>((resolve) => socket.once("close", () => resolve()));
  const tasks = async () => (await edge.ledger.system.list({ limit: 1000 })).items;

  it("requests that come before their answers are read are answered in order", async () => {
    const socket = open();
    let text = "";
    const all = new Promise<void>((resolve) => {
      socket.on("data", (chunk) => {
        text += chunk;
        if (text.split("HTTP/1.1 200 OK").length === 11) resolve();
      });
    });
    socket.write(Array.from({ length: 10 }, (_, at) => send(`m${at}`)).join(""));
    await all;
    const order = [...text.matchAll(/"messageId":"(m\d)"/g)].map((match) => match[1]);
    expect(order).toEqual(Array.from({ length: 10 }, (_, at) => `m${at}`));
  });

  it("what waits behind an unfinished answer is not begun, and is gone with its connection", async () => {
    const socket = open();
    socket.write(send("hang one", "actor") + send("hang two", "actor"));
    await expect.poll(async () => (await tasks()).length).toBe(1);
    await expect.poll(() => edge.followers.size).toBe(1);
    // Whatever was begun on another connection by now would have been begun on this one.
    const other = open();
    other.write(send("three"));
    await new Promise<void>((resolve) => other.once("data", () => resolve()));
    expect(await tasks()).toHaveLength(2);
    socket.destroy();
    await expect.poll(() => edge.followers.size).toBe(0);
    expect(await tasks()).toHaveLength(2);
  });

  it("a client that sends on and on without reading is cut off", async () => {
    const socket = open();
    const end = closed(socket);
    socket.write(send("hang", "actor") + send("more").repeat(100));
    await end;
    expect(await tasks()).toHaveLength(1);
  });
});
