import { expect, it } from "vitest";
import { SseReader, sendV1 } from "../support/a2a-edge.js";
import type { TestDaemon } from "../support/daemon/start-daemon.js";
import { startPair } from "../support/nodes/pair.js";

const pair = () =>
  startPair(() => ({
    access: { anonymous: false },
    personas: [
      {
        name: "echo",
        runtime: "scripted",
        visibility: "public",
        script: [{ when: { text: "^hang$" }, steps: [{ status: "hanging" }, { hang: true }] }],
      },
    ],
  }));

const post = ({ url }: TestDaemon, key: string, body: object) =>
  fetch(`${url}/v1/agents/echo/a2a`, {
    method: "POST",
    headers: { "content-type": "application/json", "a2a-version": "1.0", authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  });

/** Asks until the answer is another one: what is awaited has no event that a caller could wait for. */
async function untilRefused(node: TestDaemon, key: string): Promise<void> {
  for (;;) {
    const { status } = await post(node, key, sendV1("hello"));
    if (status === 401) return;
    expect(status).toBe(200);
  }
}

it("E5 X4 a key is good on every node, and a key that is revoked on one is refused on the other", async () => {
  const { a, b } = await pair();
  const { id, key } = await a.client.createKey({ name: "caller" });
  for (const node of [a, b]) expect((await post(node, key, sendV1("hello"))).status).toBe(200);
  await a.client.revokeKey(id);
  expect((await post(a, key, sendV1("hello"))).status).toBe(401);
  await untilRefused(b, key);
});

it("E5 X4 the open streams of a revoked key end on every node", async () => {
  const { a, b } = await pair();
  const { id, key } = await a.client.createKey({ name: "caller" });
  const streams = await Promise.all(
    [a, b].map(async (node) => {
      const response = await post(node, key, { ...sendV1("hang"), method: "SendStreamingMessage" });
      expect(response.status).toBe(200);
      return new SseReader(response);
    }),
  );
  for (const stream of streams) await stream.next();
  await b.client.revokeKey(id);
  // Ends, one way or the other, and does not hang until the test does.
  await Promise.allSettled(streams.map((stream) => stream.rest()));
  for (const node of [a, b]) await untilRefused(node, key);
});
