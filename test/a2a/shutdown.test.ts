import { connect } from "node:net";
import { expect, it } from "vitest";
import { startEdge } from "../support/a2a-edge.js";

it("a connection on which nothing was asked does not keep the server from closing", async () => {
  const edge = await startEdge();
  const { hostname, port } = new URL(edge.origin);
  const socket = connect(Number(port), hostname);
  await new Promise<void>((resolve) => socket.once("connect", () => resolve()));
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  await edge.stop();
  await closed;
  await expect(fetch(`${edge.origin}/healthz`)).rejects.toThrow();
});
