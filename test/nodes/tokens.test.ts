import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { SseReader, sendV1 } from "../support/a2a-edge.js";
import type { TestDaemon } from "../support/daemon/start-daemon.js";
import { startPair } from "../support/nodes/pair.js";

const PUBLIC = "https://agents.example.com";
const enforced = { mode: "enforce", a2aTargets: [`${PUBLIC}/*`], a2aInbound: { agents: ["spiffe://example.com/*"] } };

/** Two nodes that share the file of their sealing keys, as several nodes must. */
async function pair() {
  const directory = mkdtempSync(join(tmpdir(), "nuncio-shared-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return startPair(() => ({
    server: { port: 0, publicBaseUrl: PUBLIC },
    access: { anonymous: false, trustDomain: "example.com", sealingKeyFile: join(directory, "sealing.json") },
    personas: [
      {
        name: "desk",
        runtime: "scripted",
        visibility: "public",
        policy: enforced,
        script: [{ when: { text: "^hang$" }, steps: [{ status: "hanging" }, { hang: true }] }],
      },
      { name: "lab", runtime: "scripted", policy: enforced },
    ],
  }));
}

const post = ({ url }: TestDaemon, headers: Record<string, string>, body: object = sendV1("hello")) =>
  fetch(`${url}/v1/agents/desk/a2a`, {
    method: "POST",
    headers: { "content-type": "application/json", "a2a-version": "1.0", ...headers },
    body: JSON.stringify(body),
  });
const minted = async ({ client }: TestDaemon) => ({
  "x-nuncio-agent-token": (await client.createAgentToken({ persona: "lab", audience: "desk" })).token,
});

/** Asks until the answer is another one: what is awaited has no event that a caller could wait for. */
async function untilRefused(node: TestDaemon, headers: Record<string, string>): Promise<void> {
  for (;;) {
    const { status } = await post(node, headers);
    if (status === 401) return;
    expect(status).toBe(200);
  }
}

it("E6 X4 a token that one node has made is good on the other, with each key of its agent until it is ended on one", async () => {
  const { a, b } = await pair();
  // Both make the first key at once: it is one.
  const [first, second] = await Promise.all([minted(a), minted(b)]);
  for (const node of [a, b]) for (const shown of [first, second]) expect((await post(node, shown)).status).toBe(200);
  const { kid } = await a.client.rotateAgentKey({ persona: "lab" });
  const next = await minted(b);
  expect(JSON.parse(Buffer.from(next["x-nuncio-agent-token"].split(".")[0] as string, "base64url").toString())).toEqual(
    expect.objectContaining({ kid }),
  );
  // A node asks once a second for keys that it does not know.
  await expect.poll(async () => (await post(a, next)).status).toBe(200);
  for (const node of [a, b]) expect((await post(node, first)).status).toBe(200);
  expect((await b.client.agentKeys("lab")).keys).toHaveLength(2);

  // For a key that somebody else may have: nothing that it signed counts any more, on any node.
  const stream = new SseReader(await post(b, next, { ...sendV1("hang"), method: "SendStreamingMessage" }));
  expect((await stream.next())?.data.result.task).toBeDefined();
  await a.client.rotateAgentKey({ persona: "lab", atOnce: true });
  await stream.rest();
  for (const node of [a, b]) for (const shown of [first, next]) await untilRefused(node, shown);
});
