import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { credentialFile, pinOf } from "../../test/support/peers/pinned-peer.js";
import { TestAuthority } from "../../test/support/test-authority.js";
import { createOutbound } from "../outbound/outbound.js";
import type { NuncioError } from "../shared/errors.js";
import { discoverCard } from "./discover.js";
import { checkPeer, openPeer, type PeerDeps } from "./open-peer.js";
import { PeerRegistry } from "./peer-registry.js";
import type { Pin } from "./pin.js";
import { pinDigest } from "./pin-digest.js";

/** A peer with a certificate for its name, on this machine. It answers what the test says, and notes what it was asked. */
const NAME = "reviewer.example";
let directory: string;
let server: Server;
let origin: string;
let credential: { file: string; token: string };
const authority = new TestAuthority();
const asked: {
  method: string;
  url: string;
  headers: IncomingMessage["headers"];
  body: unknown;
  serverName: unknown;
}[] = [];
let answerCard: (response: ServerResponse) => void;
let result: (params: Record<string, unknown>, method: string) => unknown;
let resolved: string[];

const card = (): Pin["card"] => ({
  name: "Reviewer",
  capabilities: { streaming: true },
  supportedInterfaces: [{ url: `${origin}/a2a`, protocolBinding: "JSONRPC", protocolVersion: "1.0", tenant: "acme" }],
  skills: [{ id: "review" }],
});
const json = (value: unknown) => (response: ServerResponse) => {
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(value));
};
const task = (id: string, rest: object = {}) => ({
  id,
  contextId: "c1",
  status: { state: "TASK_STATE_WORKING" },
  ...rest,
});

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "nuncio-open-peer-"));
  credential = credentialFile(directory, "reviewer");
  server = createServer(authority.identityFor(NAME), async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const body = text === "" ? null : JSON.parse(text);
    const { method = "", url = "", headers, socket } = request;
    asked.push({ method, url, headers, body, serverName: (socket as unknown as { servername: unknown }).servername });
    if (method === "GET") return answerCard(response);
    json({ jsonrpc: "2.0", id: body.id, result: result(body.params, body.method) })(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  origin = `https://${NAME}:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
  rmSync(directory, { recursive: true });
});

const outbound = createOutbound({
  mode: "production",
  allow: [],
  ca: [authority.cert],
  resolver: async () => resolved,
});
let now = 1000;

beforeEach(() => {
  asked.length = 0;
  answerCard = json(card());
  result = (params) => task(String(params.id));
  resolved = ["127.0.0.1"];
});

function pinned(rest: Parameters<typeof pinOf>[2] = {}): { deps: PeerDeps; pin: Pin; state: () => unknown } {
  const pin = pinOf("reviewer", { origin, card: card(), ...credential }, { tenant: "acme", ...rest });
  const registry = new PeerRegistry([pin]);
  const sealer = { open: () => "" };
  const deps = { registry, sealer, outbound: async () => outbound, clock: { now: () => now++ } };
  return { deps, pin, state: () => registry.get("reviewer")?.state };
}
const refusal = async (work: Promise<unknown>) =>
  (await work.then(
    () => null,
    (error) => error,
  )) as NuncioError | null;

describe("a peer that is what was pinned", () => {
  it("P4 P16 is read over the pinned address, with TLS for its name, and then spoken to in 1.0 JSON-RPC", async () => {
    const { deps, pin, state } = pinned();
    const client = await openPeer(deps, pin);
    expect(asked.map(({ method, url }) => `${method} ${url}`)).toEqual(["GET /.well-known/agent-card.json"]);
    result = (params) => ({
      task: task("t1", { contextId: (params.message as { contextId?: string }).contextId ?? "c1" }),
    });
    const message = { messageId: "m1", role: "user" as const, parts: [{ text: "look" }] };
    const sent = await client.send({ message, waits: false });
    expect(sent).toMatchObject({ outcome: "accepted", value: { type: "task", task: { id: "t1" } } });
    expect(asked[1]).toMatchObject({
      method: "POST",
      url: "/a2a",
      serverName: NAME,
      headers: {
        "a2a-version": "1.0",
        authorization: `Bearer ${credential.token}`,
        host: origin.slice("https://".length),
      },
      body: { method: "SendMessage", params: { tenant: "acme", message: { messageId: "m1", role: "ROLE_USER" } } },
    });
    expect(state()).toEqual({ type: "ok" });
    expect(deps.registry.get("reviewer")?.seenAt).toEqual(expect.any(Number));
  });

  it("P4 P5 is spoken to by the pin in force: one that is replaced or stopped while its card is read is not", async () => {
    const meanwhile: [string, (registry: PeerRegistry, pin: Pin) => void][] = [
      ["PEER_PINNED_ANEW", (registry) => registry.replace([])],
      ["PEER_PINNED_ANEW", (registry, pin) => registry.replace([{ ...pin, slots: 2 }])],
      ["PEER_DRIFTED", (registry, pin) => registry.stop(pinDigest(pin), { differences: [], leftOut: 0 }, 1)],
    ];
    for (const [reason, change] of meanwhile) {
      const { deps, pin } = pinned();
      answerCard = (response) => {
        change(deps.registry, pin);
        json(card())(response);
      };
      expect(await refusal(openPeer(deps, pin))).toMatchObject({ code: "failed_precondition", reason });
    }
    expect(asked.map(({ method }) => method)).toEqual(["GET", "GET", "GET"]);
  });

  it("P16 is asked to cancel, and subscribed to, only where that was pinned", async () => {
    const none = pinned({ supports: { cancel: false, streaming: false } });
    const client = await openPeer(none.deps, none.pin);
    const known = { taskId: "t1", contextId: "c1" };
    await expect(client.cancel(known)).rejects.toMatchObject({ reason: "PEER_CONTROL_NOT_PINNED" });
    await expect(client.subscribe(known)).rejects.toMatchObject({ reason: "PEER_CONTROL_NOT_PINNED" });
    expect(asked).toHaveLength(1);
    const all = pinned({ supports: { cancel: true, streaming: true } });
    await (await openPeer(all.deps, all.pin)).cancel(known);
    expect(asked.at(-1)?.body).toMatchObject({ method: "CancelTask" });
  });

  it.each<[string, object]>([
    ["another task", task("t2")],
    ["another conversation", task("t1", { contextId: "c2" })],
  ])("P16 has said nothing of a task when it answers about %s", async (_what, answer) => {
    const { deps, pin } = pinned({ supports: { cancel: true, streaming: true } });
    const client = await openPeer(deps, pin);
    const known = { taskId: "t1", contextId: "c1" };
    result = () => answer;
    await expect(client.get(known)).rejects.toMatchObject({ reason: "AGENT_ANSWER_INVALID" });
    await expect(client.cancel(known)).rejects.toMatchObject({ reason: "AGENT_ANSWER_INVALID" });
    result = () => ({ task: answer });
    const updates = await client.subscribe(known);
    await expect(updates.next()).rejects.toMatchObject({ reason: "AGENT_ANSWER_INVALID" });
    const message = { messageId: "m2", role: "user" as const, parts: [{ text: "more" }] };
    const sent = await client.send({ message, ...known, waits: false });
    expect(sent).toMatchObject({ outcome: "unknown", error: { reason: "AGENT_ANSWER_INVALID" } });
  });
});

describe("a peer that is another than was pinned", () => {
  it("P4 is stopped with its difference, and not looked at again until it is pinned anew", async () => {
    const { deps, pin, state } = pinned();
    answerCard = json({ ...card(), name: "Somebody else" });
    const error = await refusal(openPeer(deps, pin));
    expect(error).toMatchObject({ code: "failed_precondition", reason: "PEER_DRIFTED" });
    expect(error?.message).toBe("the peer reviewer is not what was pinned: card name changed");
    const difference = { what: "card", path: "name", before: '"Reviewer"', after: '"Somebody else"' };
    expect(state()).toEqual({
      type: "stopped",
      since: expect.any(Number),
      drift: { differences: [difference], leftOut: 0 },
    });

    answerCard = json(card());
    asked.length = 0;
    expect(await refusal(openPeer(deps, pin))).toMatchObject({ reason: "PEER_DRIFTED" });
    expect(asked).toEqual([]);
    deps.registry.replace([pin]);
    expect(await refusal(openPeer(deps, pin))).toMatchObject({ reason: "PEER_DRIFTED" });
    const anew = { ...pin, pinnedAt: new Date(1).toISOString() };
    deps.registry.replace([anew]);
    expect(state()).toEqual({ type: "ok" });
    await openPeer(deps, anew);
  });

  it("P4 by another key is stopped, too; another signature of the same key is nothing", async () => {
    const header = (kid: string) => Buffer.from(JSON.stringify({ alg: "ES256", kid })).toString("base64url");
    const signed = (kid: string, signature: string) => ({
      ...card(),
      signatures: [{ protected: header(kid), signature }],
    });
    const { deps, pin } = pinned({ card: signed("one", "AA") });
    answerCard = json(signed("one", "BB"));
    await openPeer(deps, pin);
    answerCard = json(signed("two", "AA"));
    expect(await refusal(openPeer(deps, pin))).toMatchObject({
      message: expect.stringContaining("keys of the card changed"),
    });
  });

  it("P4 by an address that its name has got is stopped before anything is connected", async () => {
    const { deps, pin } = pinned();
    resolved = ["127.0.0.1", "192.0.2.66"];
    const error = await refusal(openPeer(deps, pin));
    expect(error?.message).toBe("the peer reviewer is not what was pinned: addresses changed");
    expect(asked).toEqual([]);
  });

  it("P1 P4 by its credential is stopped before that is shown to anybody", async () => {
    const { deps, pin } = pinned({ credentialDigest: `sha256:${"0".repeat(64)}` });
    expect(await refusal(openPeer(deps, pin))).toMatchObject({
      message: expect.stringContaining("credential changed"),
    });
    expect(asked).toEqual([]);
  });

  it("is said to be so of the pin that was looked at, and of no later one", async () => {
    const { deps, pin, state } = pinned();
    answerCard = json({ ...card(), name: "Somebody else" });
    const looking = refusal(checkPeer(deps, pin));
    deps.registry.replace([{ ...pin, slots: 2 }]);
    expect(await looking).toMatchObject({ reason: "PEER_DRIFTED" });
    expect(state()).toEqual({ type: "ok" });
  });
});

describe("a peer that cannot be looked at", () => {
  it.each<[string, () => void, RegExp]>([
    [
      "a redirect",
      () => (answerCard = (to) => to.writeHead(302, { location: `${origin}/elsewhere` }).end()),
      /redirect/,
    ],
    ["a card that is none", () => (answerCard = json({ supportedInterfaces: [7] })), /not valid/],
    ["no JSON", () => (answerCard = (to) => to.end("<html>")), /not valid/],
    ["a card without end", () => (answerCard = (to) => to.end("x".repeat(600 * 1024))), /more than 524288 bytes/],
    ["a refusal", () => (answerCard = (to) => to.writeHead(401).end()), /not for everybody/],
    ["a connection that is cut", () => (answerCard = (to) => to.destroy()), /broke off/],
    ["a name without an address", () => (resolved = []), /could not be resolved/],
  ])("P4 R4 is unreachable for now, and tried again: %s", async (_what, arrange, message) => {
    const { deps, pin, state } = pinned();
    arrange();
    const error = await refusal(openPeer(deps, pin));
    expect(error?.message).toMatch(message);
    expect(error?.hint ?? "").not.toContain("--token-file");
    expect(state()).toMatchObject({ type: "unreachable", error: expect.stringMatching(message) });
    expect(asked.map(({ url }) => url).filter((url) => url !== "/.well-known/agent-card.json")).toEqual([]);
    answerCard = json(card());
    resolved = ["127.0.0.1"];
    await openPeer(deps, pin);
    expect(state()).toEqual({ type: "ok" });
  });

  it("P4 has a certificate for another name", async () => {
    const port = new URL(origin).port;
    const elsewhere = `https://other.example:${port}`;
    const pin = pinOf("reviewer", {
      origin: elsewhere,
      card: {
        ...card(),
        supportedInterfaces: [{ url: `${elsewhere}/a2a`, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
      },
      ...credential,
    });
    const { deps } = pinned();
    deps.registry.replace([pin]);
    expect(await refusal(openPeer(deps, pin))).toMatchObject({ reason: "OUTBOUND_TLS" });
    expect(asked).toEqual([]);
  });

  it("whoever leaves meanwhile has learned nothing of it", async () => {
    const { deps, pin, state } = pinned();
    const left = new AbortController();
    answerCard = () => left.abort();
    expect(await refusal(openPeer(deps, pin, left.signal))).not.toBeNull();
    expect(state()).toEqual({ type: "ok" });
  });
});

describe("discovery", () => {
  const wanted = (rest: object = {}) => ({
    endpoint: `${origin}/a2a`,
    cardUrl: `${origin}/cards/mine`,
    addresses: ["127.0.0.1"],
    local: true,
    token: credential.token,
    ...rest,
  });

  it("P2 fetches the card from its URL and its address alone, and opens nothing that the card names", async () => {
    const named = { ...card(), iconUrl: `${origin}/icon`, documentationUrl: `${origin}/docs` };
    answerCard = json(named);
    // No name is resolved.
    resolved = [];
    expect((await discoverCard(outbound, wanted())).document).toEqual(named);
    expect(asked.map(({ method, url }) => `${method} ${url}`)).toEqual(["GET /cards/mine"]);
    expect(asked[0]?.headers.authorization).toBe(`Bearer ${credential.token}`);
  });

  it.each<[string, object, RegExp]>([
    ["metadata", { addresses: ["169.254.169.254"], local: false }, /link-local/],
    ["loopback without --local", { local: false }, /only a rehearsal/],
    [
      "an endpoint over plain http elsewhere",
      { endpoint: "http://a.example/", addresses: ["192.0.2.1"], local: false },
      /https/,
    ],
    ["a metadata name", { cardUrl: "https://metadata.google.internal/card" }, /does not lead to a public address/],
  ])("R4 P2 P4 sends nothing to %s", async (_what, rest, message) => {
    expect((await refusal(discoverCard(outbound, wanted(rest))))?.message).toMatch(message);
    expect(asked).toEqual([]);
  });

  it("R4 P2 asks no proxy of the environment", async () => {
    const before = { ...process.env };
    Object.assign(process.env, {
      HTTPS_PROXY: "http://127.0.0.1:1",
      https_proxy: "http://127.0.0.1:1",
      ALL_PROXY: "http://127.0.0.1:1",
    });
    try {
      await discoverCard(outbound, wanted());
    } finally {
      process.env = before;
    }
    expect(asked).toHaveLength(1);
  });
});

it("P1 a credential that others may read is not shown to anybody", async () => {
  const file = join(directory, "loose.json");
  writeFileSync(file, JSON.stringify({ schema: 1, peer: "reviewer", token: credential.token }), { mode: 0o644 });
  const { deps, pin } = pinned({ credentialFile: file });
  expect(await refusal(openPeer(deps, pin))).toMatchObject({ message: `${file} has mode 0644: others may use it` });
  expect(asked).toEqual([]);
});
