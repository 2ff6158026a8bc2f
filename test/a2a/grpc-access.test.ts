import { A2AService } from "@a2a-js/sdk/server/grpc";
import type { ServiceError } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { methodsOf } from "../../src/a2a/server/grpc/methods.js";
import { newApiKey } from "../../src/access/api-key.js";
import { scripted } from "../support/a2a-edge.js";
import { endedBy, type GrpcEdge, RawClient, refusalOf, sendRequest, startGrpcEdge } from "../support/grpc-edge.js";
import { FrameClient, framed } from "../support/grpc-frames.js";

const V1 = methodsOf("1.0");
const V03 = methodsOf("0.3");
const METHODS = [...V1, ...V03].map((method) => [method.path, method] as const);

/** Field 1 of most messages, and 4 of one: the interface tenant. */
const addressed = (path: string, tenant: string): Buffer => {
  const tag = path.endsWith("/ListTaskPushNotificationConfigs") ? 0x22 : 0x0a;
  const text = Buffer.from(tenant);
  return path.startsWith("/lf.") ? Buffer.concat([Buffer.of(tag, text.length), text]) : Buffer.alloc(0);
};

describe("who gets in over gRPC", () => {
  let house: GrpcEdge;
  let asked = 0;
  const keys: Record<string, string> = {};
  const clients: Record<string, RawClient> = {};

  beforeAll(async () => {
    house = await startGrpcEdge({
      personas: [
        scripted("open", [{ when: { text: /^hang/ }, steps: [{ hang: true }] }], { visibility: "public" }),
        scripted("secret", []),
        scripted("acme-secret", [], { tenant: "acme" }),
      ],
      http: { defaultAgent: "open" },
      onDatabase: () => {
        // The worker looks for work all the while; this is about whoever asks on behalf of a caller.
        if (/\/src\/(access|a2a)\/|\/store\/access\//.test(new Error().stack ?? "")) asked += 1;
      },
    });
    for (const tenant of ["default", "acme"]) {
      keys[tenant] = (await house.edge.key("app", { tenant })).authorization;
      clients[tenant] = new RawClient(house.address, { authorization: keys[tenant] });
    }
    clients.reader = new RawClient(house.address, {
      authorization: (await house.edge.key("reader", { scopes: ["tasks:read"] })).authorization,
    });
    clients.nobody = new RawClient(house.address);
  });
  afterAll(async () => {
    for (const client of Object.values(clients)) client.close();
    await house.close();
    expect(house.edge.faults).toEqual([]);
  });

  const client = (name: string): RawClient => clients[name] as RawClient;
  const outcome = async (name: string, path: string, agent: string, metadata: Record<string, string> = {}) => {
    const named = path.startsWith("/lf.") ? metadata : { "x-nuncio-agent": agent, ...metadata };
    return refusalOf(client(name).unary(path, addressed(path, agent), named));
  };

  it.each(METHODS)("E4 R6 %s: whoever shows no credential hears the same of every agent", async (path) => {
    for (const authorization of [undefined, "Bearer nothing-of-ours", "Basic YTpi"]) {
      const credential: Record<string, string> = authorization === undefined ? {} : { authorization };
      const heard = await Promise.all(
        ["default/open", "default/secret", "acme/acme-secret", "default/nobody", ""].map((agent) =>
          outcome("nobody", path, agent, credential),
        ),
      );
      expect(new Set(heard.map((ended) => JSON.stringify(ended))).size).toBe(1);
      expect(heard[0]).toMatchObject({
        code: "UNAUTHENTICATED",
        details: { errorInfo: { reason: "UNAUTHENTICATED" } },
      });
    }
  });

  it.each(METHODS)("E4 R6 %s: a private agent of another tenant is as one that is not there", async (path) => {
    const [hidden, absent, malformed] = await Promise.all([
      outcome("default", path, "acme/acme-secret"),
      outcome("default", path, "acme/nobody"),
      outcome("default", path, "acme/acme-secret/x"),
    ]);
    expect(hidden).toMatchObject({
      code: "NOT_FOUND",
      details: { errorInfo: { reason: "AGENT_NOT_FOUND", metadata: {} } },
    });
    expect(hidden).toEqual(absent);
    expect(malformed).toEqual(absent);
    // Its own tenant gets past that, to whatever the operation makes of an empty message.
    const own = await outcome("acme", path, "acme/acme-secret").catch(() => "answered");
    expect(own).not.toMatchObject({ details: { errorInfo: { reason: "AGENT_NOT_FOUND" } } });
  });

  it.each(METHODS)("E5 %s: before a byte of the message, and without a question to the database", async (path) => {
    const frames = new FrameClient(house.address);
    try {
      const before = asked;
      for (const headers of [
        {},
        { authorization: "Bearer nothing-of-ours" },
        { authorization: `Bearer ${newApiKey().key}` },
      ]) {
        // The head alone: neither a message nor the end of the request is ever sent.
        const { status } = await frames.open(path, headers as Record<string, string>).read().ended;
        expect(status).toBe("16");
      }
      expect(asked).toBe(before);
    } finally {
      frames.close();
    }
  });

  it("such a question is seen, when there is one", async () => {
    const before = asked;
    await client("default").refusal("getTask", { tenant: "open", id: "x" });
    expect(asked).toBeGreaterThan(before);
  });

  it("E5 what has no credential may have any message", async () => {
    const frames = new FrameClient(house.address);
    try {
      const call = frames.open(A2AService.sendMessage.path).read();
      call.stream.end(framed(Buffer.alloc(3_000_000, 0xff)));
      expect((await call.ended).status).toBe("16");
    } finally {
      frames.close();
    }
  });

  it("E5 R6 a key without the scope may look, and not act", async () => {
    const sent = await client("default").call("sendMessage", sendRequest("default/open", "hello"));
    const { id } = sent.payload.value;
    expect(await client("reader").call("getTask", { tenant: "default/open", id })).toMatchObject({ id });
    for (const refused of [
      client("reader").refusal("sendMessage", sendRequest("default/open", "hello")),
      client("reader").refusal("cancelTask", { tenant: "default/open", id, metadata: undefined }),
    ]) {
      expect(await refused).toMatchObject({
        code: "PERMISSION_DENIED",
        details: { errorInfo: { reason: "PERMISSION_DENIED", metadata: { scope: "runs:execute" } } },
      });
    }
  });

  it("E10 another caller's task is as one that is not there", async () => {
    const sent = await client("default").call("sendMessage", sendRequest("default/open", "hello"));
    const { id } = sent.payload.value;
    const [others, none] = await Promise.all([
      client("acme").refusal("getTask", { tenant: "open", id }),
      client("acme").refusal("getTask", { tenant: "open", id: "00000000-0000-7000-8000-000000000000" }),
    ]);
    expect(others).toMatchObject({ code: "NOT_FOUND", details: { errorInfo: { reason: "TASK_NOT_FOUND" } } });
    expect(others.message).toBe(none.message);
  });

  it.each([
    ["the tenant of its interface", "default/open", {}],
    ["its name alone, where the tenant is default", "open", {}],
    ["metadata", "", { "x-nuncio-agent": "default/open" }],
    ["both, where they agree", "open", { "x-nuncio-agent": "default/open" }],
    ["nothing, where there is a default agent", "", {}],
  ])("E20 an agent is named by %s", async (_how, tenant, metadata) => {
    const { payload } = await client("default").call("sendMessage", sendRequest(tenant, "hello"), metadata);
    expect(payload).toMatchObject({ $case: "task", value: { status: { state: 3 } } });
  });

  it("E24 two names that do not agree are a mistake of the caller", async () => {
    const refused = await client("default").refusal("sendMessage", sendRequest("default/secret", "hello"), {
      "x-nuncio-agent": "default/open",
    });
    expect(refused).toMatchObject({ code: "INVALID_ARGUMENT", details: { fieldViolations: [{ field: "tenant" }] } });
  });

  it.each([
    ["another that is served", "0.3"],
    ["one that is not", "0.2"],
    ["none", "latest"],
    ["two", "1.0, 0.3"],
  ])("E20 a version of %s is refused by the service of 1.0", async (_what, version) => {
    const refused = await client("default").refusal("sendMessage", sendRequest("open", "hello"), {
      "a2a-version": version,
    });
    expect(refused).toMatchObject({
      code: "FAILED_PRECONDITION",
      details: {
        errorInfo: {
          reason: "VERSION_NOT_SUPPORTED",
          domain: "a2a-protocol.org",
          metadata: { supportedVersions: "1.0,0.3" },
        },
      },
    });
  });

  it.each(["1.0", "1.0.1", ""])("E20 the version may be said again: %s", async (version) => {
    const sent = await client("default").call("sendMessage", sendRequest("open", "hello"), { "a2a-version": version });
    expect(sent.payload.$case).toBe("task");
  });

  it("E5 a key that is revoked ends its streams, and the task goes on", async () => {
    const { id: keyId, authorization } = await house.edge.key("leaving");
    const leaving = new RawClient(house.address, { authorization });
    const { path, requestSerialize, responseDeserialize } = A2AService.sendStreamingMessage;
    const stream = leaving.stream(path, requestSerialize(sendRequest("open", "hang") as never));
    const first = await new Promise<Buffer>((resolve, reject) => {
      stream.once("data", resolve);
      stream.once("error", reject);
    });
    const ended = new Promise<ServiceError>((resolve) => stream.once("error", resolve));
    stream.resume();
    await house.edge.keys.revokeKey({ id: keyId, now: Date.now() });
    expect(endedBy(await ended)).toMatchObject({ code: "UNAUTHENTICATED" });
    leaving.close();
    const { payload } = responseDeserialize(first);
    const id = payload?.$case === "task" ? payload.value.id : "";
    expect((await house.edge.ledger.forTenant("default").task(id))?.state).not.toBe("canceled");
  });
});

describe("what the configuration changes of it", () => {
  it("E20 a version that is not served has no service", async () => {
    const house = await startGrpcEdge({ http: { versions: ["1.0"] } });
    const client = new RawClient(house.address, { authorization: (await house.edge.key("app")).authorization });
    try {
      for (const { path } of V03) {
        expect((await refusalOf(client.unary(path, Buffer.alloc(0)))).code).toBe("UNIMPLEMENTED");
      }
      expect((await client.call("sendMessage", sendRequest("echo", "hello"))).payload.$case).toBe("task");
    } finally {
      client.close();
      await house.close();
    }
  });

  it("E4 without a default agent, no name is no agent", async () => {
    const house = await startGrpcEdge({ grpc: { compat: () => "1.0.0" } });
    const client = new RawClient(house.address, { authorization: (await house.edge.key("app")).authorization });
    try {
      const unnamed = await client.refusal("sendMessage", sendRequest("", "hello"));
      expect(unnamed).toMatchObject({ code: "NOT_FOUND" });
      expect(unnamed).toEqual(await client.refusal("sendMessage", sendRequest("default/nobody", "hello")));
      // The statuses that clients of 1.0.0 expect.
      const version = await client.refusal("sendMessage", sendRequest("echo", "hello"), { "a2a-version": "9.9" });
      expect(version.code).toBe("UNIMPLEMENTED");
    } finally {
      client.close();
      await house.close();
    }
  });

  it("E24 limits say when to come again", async () => {
    const house = await startGrpcEdge({ limits: { requestsPerMinute: 3, streams: 1, unauthenticatedPerMinute: 2 } });
    const { authorization } = await house.edge.key("busy");
    const busy = new RawClient(house.address, { authorization });
    const stranger = new RawClient(house.address);
    try {
      const { path, requestSerialize } = A2AService.sendStreamingMessage;
      const stream = busy.stream(path, requestSerialize(sendRequest("actor", "hang") as never));
      await new Promise((resolve, reject) => {
        stream.once("data", resolve);
        stream.once("error", reject);
      });
      const second = await busy.refusal("sendMessage", sendRequest("actor", "hang"));
      expect(second).toMatchObject({
        code: "RESOURCE_EXHAUSTED",
        details: { errorInfo: { metadata: { limit: "1" } } },
      });
      stream.on("error", () => {});
      stream.cancel();
      await busy.refusal("getTask", { tenant: "actor", id: "x" });
      const often = await busy.refusal("getTask", { tenant: "actor", id: "x" });
      expect(often).toMatchObject({
        code: "RESOURCE_EXHAUSTED",
        message: expect.stringContaining("Too many requests"),
      });
      expect(often.details?.retryDelaySeconds).toBeGreaterThan(0);
      const strangers = [];
      for (let at = 0; at < 3; at++)
        strangers.push((await stranger.refusal("getTask", { tenant: "actor", id: "x" })).code);
      expect(strangers).toEqual(["UNAUTHENTICATED", "UNAUTHENTICATED", "RESOURCE_EXHAUSTED"]);
    } finally {
      busy.close();
      stranger.close();
      await house.close();
    }
  });

  it("E5 a call without a credential is let in where that is configured, and a wrong one is not", async () => {
    const house = await startGrpcEdge({ http: { anonymous: true } });
    const anybody = new RawClient(house.address);
    try {
      expect((await anybody.call("sendMessage", sendRequest("echo", "hello"))).payload.$case).toBe("task");
      const wrong = await anybody.refusal("sendMessage", sendRequest("echo", "hello"), { authorization: "Bearer x" });
      expect(wrong.code).toBe("UNAUTHENTICATED");
      const two = { authorization: "Bearer x", "x-nuncio-agent-token": "y" };
      expect((await anybody.refusal("sendMessage", sendRequest("echo", "hello"), two)).code).toBe("UNAUTHENTICATED");
      const token = { "x-nuncio-agent-token": "not.a.token" };
      expect((await anybody.refusal("sendMessage", sendRequest("echo", "hello"), token)).code).toBe("UNAUTHENTICATED");
    } finally {
      anybody.close();
      await house.close();
    }
  });

  it("streams end with UNAVAILABLE when the server closes, and their tasks are kept", async () => {
    const house = await startGrpcEdge();
    const { authorization } = await house.edge.key("app");
    const client = new RawClient(house.address, { authorization });
    const { path, requestSerialize } = A2AService.sendStreamingMessage;
    const stream = client.stream(path, requestSerialize(sendRequest("actor", "hang") as never));
    await new Promise((resolve, reject) => {
      stream.once("data", resolve);
      stream.once("error", reject);
    });
    const waits = client.refusal("sendMessage", sendRequest("actor", "hang"));
    while (house.edge.edge.calls.size < 2) await new Promise(setImmediate);
    const ended = new Promise<ServiceError>((resolve) => stream.once("error", resolve));
    stream.resume();
    await house.close();
    expect(endedBy(await ended)).toMatchObject({ code: "UNAVAILABLE", details: { retryDelaySeconds: 1 } });
    expect(await waits).toMatchObject({ code: "UNAVAILABLE" });
    client.close();
  });
});
