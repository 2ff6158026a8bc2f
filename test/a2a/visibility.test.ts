import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callV1, type Edge, rpc, SseReader, scripted, sendV1, startEdge } from "../support/a2a-edge.js";

const V1 = { "a2a-version": "1.0" };

/** Everything that a server answers on one connection, without the time of day. */
function rawAnswer(origin: string, head: string[], body = ""): Promise<string> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(Number(port), hostname, () => {
      socket.write(
        [...head, `Host: ${hostname}`, "Connection: close", `Content-Length: ${body.length}`, "", body].join("\r\n"),
      );
    });
    socket.on("data", (chunk) => {
      text += chunk.toString();
    });
    socket.on("end", () => resolve(text.replace(/\r\nDate: [^\r]*/i, "")));
    socket.on("error", reject);
  });
}

describe("who sees which agent", () => {
  let edge: Edge;
  const keys: Record<string, string> = {};

  beforeAll(async () => {
    edge = await startEdge({
      personas: [
        scripted("open", [], { visibility: "public" }),
        scripted("secret", []),
        scripted("acme-open", [], { tenant: "acme", visibility: "public" }),
        scripted("acme-secret", [], { tenant: "acme" }),
      ],
    });
    for (const tenant of ["default", "acme"]) {
      keys[tenant] = (await edge.key("app", { tenant, scopes: ["runs:execute"] })).authorization;
      keys[`${tenant} reader`] = (await edge.key("reader", { tenant, scopes: ["tasks:read"] })).authorization;
      keys[`${tenant} powerless`] = (await edge.key("powerless", { tenant, scopes: [] })).authorization;
    }
  });
  afterAll(() => edge.stop());

  const acme = (name: string) => `${edge.origin}/v1/tenants/acme/agents/${name}/a2a`;

  it.each([
    ["the endpoint", "POST", ""],
    ["the endpoint with a slash", "POST", "/"],
    ["the card", "GET", "/.well-known/agent-card.json"],
    ["another method", "GET", ""],
    ["another method", "PUT", ""],
    ["another method", "DELETE", ""],
    ["another method", "PATCH", ""],
    ["another method", "OPTIONS", ""],
    ["another method", "HEAD", ""],
    ["another method on the card", "POST", "/.well-known/agent-card.json"],
    ["a path below", "GET", "/tasks/1"],
    ["a path below", "POST", "/message:send"],
  ])("E4 a private agent answers like an absent one: %s, %s %s", async (_what, method, path) => {
    const credentials = [
      undefined,
      keys.default,
      keys["default reader"],
      "Bearer nonsense",
      `Bearer nk_${"a".repeat(43)}`,
    ];
    const body = method === "GET" || method === "HEAD" ? "" : JSON.stringify(sendV1("hi"));
    const answers = new Set<string>();
    for (const name of ["acme-secret", "nobody-here"]) {
      for (const authorization of credentials) {
        const head = [
          `${method} /v1/tenants/acme/agents/${name}/a2a${path} HTTP/1.1`,
          "Content-Type: application/json",
        ];
        if (authorization !== undefined) head.push(`Authorization: ${authorization}`);
        answers.add(await rawAnswer(edge.origin, head, body));
      }
    }
    expect([...answers]).toHaveLength(1);
    expect([...answers][0]).toContain("HTTP/1.1 404");
  });

  it("E4 a body that is broken, of another type or too large changes nothing in it", async () => {
    const answers = new Set<string>();
    for (const name of ["acme-secret", "nobody-here"]) {
      for (const [type, body] of [
        ["application/json", "{"],
        ["text/plain", "x"],
        ["application/json", ""],
      ] as const) {
        const { status, text, headers } = await rpc(acme(name), body, {
          "content-type": type,
          authorization: keys.default,
        });
        answers.add(JSON.stringify([status, text, [...headers].filter(([header]) => header !== "date")]));
      }
      expect((await rpc(acme(name), "x".repeat(2_000_000))).status).toBe(404);
    }
    expect([...answers]).toHaveLength(1);
  });

  it("E4 its own tenant sees it", async () => {
    expect(
      (await rpc(acme("acme-secret"), sendV1("hi"), { ...V1, authorization: keys.acme })).json.result.task.id,
    ).toBeDefined();
    const card = await fetch(`${acme("acme-secret")}/.well-known/agent-card.json`, {
      headers: { authorization: keys.acme as string },
    });
    expect(card.status).toBe(200);
    expect(card.headers.get("cache-control")).toContain("private");
    expect(card.headers.get("vary")).toContain("Authorization");
  });

  it("E4 E24 an agent is found under its own tenant only", async () => {
    const headers = { ...V1, authorization: keys.acme };
    expect((await rpc(edge.urlOf("acme-open"), sendV1("hi"), headers)).status).toBe(404);
    expect((await rpc(acme("open"), sendV1("hi"), headers)).status).toBe(404);
  });

  it("E4 E5 a public agent without a valid credential: 401 with a challenge, before the body is looked at", async () => {
    for (const [authorization, challenge] of [
      [undefined, 'Bearer realm="nuncio"'],
      ["Bearer nonsense", 'Bearer realm="nuncio", error="invalid_token"'],
      [`Bearer nk_${"a".repeat(43)}`, 'Bearer realm="nuncio", error="invalid_token"'],
      ["Basic eDp5", 'Bearer realm="nuncio", error="invalid_token"'],
    ]) {
      const answer = await rpc(edge.urlOf("open"), "{ broken", { authorization, "content-type": "text/plain" });
      expect(answer.status).toBe(401);
      expect(answer.headers.get("www-authenticate")).toBe(challenge);
      expect(answer.json).toMatchObject({ jsonrpc: "2.0", id: null, error: { data: [{ reason: "UNAUTHENTICATED" }] } });
    }
  });

  it("E5 a key without the scope: 403 that names it", async () => {
    for (const who of ["default powerless", "default reader"]) {
      const answer = await rpc(edge.urlOf("open"), sendV1("hi"), { ...V1, authorization: keys[who] });
      expect(answer.status).toBe(403);
      expect(answer.headers.get("www-authenticate")).toContain("insufficient_scope");
      expect(answer.json.error?.data[0]).toMatchObject({
        reason: "PERMISSION_DENIED",
        metadata: { scope: "runs:execute" },
      });
    }
  });

  it("E5 E22 a revoked key is refused at once, and its open stream ends; the task goes on", async () => {
    const slow = await startEdge({
      personas: [scripted("slow", [{ steps: [{ status: "on it" }, { hang: true }] }], { visibility: "public" })],
    });
    try {
      const { id, authorization } = await slow.key("leaver");
      const other = await slow.key("leaver");
      const stream = await fetch(slow.urlOf("slow"), {
        method: "POST",
        headers: { ...V1, authorization, "content-type": "application/json" },
        body: JSON.stringify({ ...sendV1("hi"), method: "SendStreamingMessage" }),
      });
      await slow.keys.revokeKey({ id, now: Date.now() });
      const text = await stream.text();
      const task = JSON.parse(text.slice(text.indexOf("data: ") + 6, text.indexOf("\n\n"))).result.task;
      expect((await rpc(slow.urlOf("slow"), sendV1("hi"), { ...V1, authorization })).status).toBe(401);
      // Two keys of one name are one principal.
      const found = await rpc(slow.urlOf("slow"), callV1("GetTask", { id: task.id }), {
        ...V1,
        ...other,
        id: undefined,
        key: undefined,
      });
      expect(found.json.result.status.state).toBe("TASK_STATE_WORKING");
      expect(slow.followers.size).toBe(0);
    } finally {
      await slow.stop();
    }
  });

  it("E5 an expired key is refused", async () => {
    const { authorization } = await edge.key("late", { expiresAt: Date.now() - 1 });
    expect((await rpc(edge.urlOf("open"), sendV1("hi"), { ...V1, authorization })).status).toBe(401);
  });

  it("E5 the wait of a blocking call and a stream end with the time of their key; the task goes on", async () => {
    const slow = await startEdge({
      personas: [scripted("slow", [{ steps: [{ status: "on it" }, { hang: true }] }], { visibility: "public" })],
    });
    try {
      const { authorization } = await slow.key("short", { expiresAt: Date.now() + 4000 });
      const stream = await SseReader.open(
        slow.urlOf("slow"),
        { ...sendV1("hi"), method: "SendStreamingMessage" },
        { ...V1, authorization },
      );
      const blocking = await rpc(slow.urlOf("slow"), sendV1("hi"), { ...V1, authorization });
      expect(blocking.status).toBe(401);
      const told = (await stream.rest()).map(({ data }) => data);
      expect(told.at(-1).error.code).toBe(-32000);
      expect(JSON.stringify(told)).not.toContain("CANCELED");
      const { items } = await slow.ledger.system.list({ limit: 10 });
      expect(items.map(({ state }) => state)).toEqual(["processing", "processing"]);
      expect(slow.followers.size).toBe(0);
    } finally {
      await slow.stop();
    }
  });

  it("E10 a task is found by its creator and by readers of the owning tenant, and by nobody else", async () => {
    const send = async (authorization: string | undefined) =>
      (await rpc(acme("acme-open"), sendV1("hi"), { ...V1, authorization })).json.result.task.id as string;
    const get = async (id: string, authorization: string | undefined) => {
      const { json } = await rpc(acme("acme-open"), callV1("GetTask", { id }), { ...V1, authorization });
      return json.error?.code ?? "found";
    };
    // Both keys have the same name: in two tenants that is two principals.
    const ofDefault = await send(keys.default);
    const ofAcme = await send(keys.acme);
    expect(await get(ofDefault, keys.default)).toBe("found");
    expect(await get(ofAcme, keys.acme)).toBe("found");
    expect(await get(ofDefault, keys.acme)).toBe(-32001);
    expect(await get(ofAcme, keys.default)).toBe(-32001);
    expect(await get(ofDefault, keys["acme reader"])).toBe("found");
    expect(await get(ofAcme, keys["acme reader"])).toBe("found");
    expect(await get(ofAcme, keys["default reader"])).toBe(-32001);
    const canceled = await rpc(acme("acme-open"), callV1("CancelTask", { id: ofAcme }), {
      ...V1,
      authorization: keys.default,
    });
    expect(canceled.json.error?.code).toBe(-32001);
  });

  it("E10 a task is found at its own agent only", async () => {
    const headers = { ...V1, authorization: keys.default };
    const { id } = (await rpc(edge.urlOf("open"), sendV1("hi"), headers)).json.result.task;
    expect((await rpc(edge.urlOf("secret"), callV1("GetTask", { id }), headers)).json.error?.code).toBe(-32001);
    expect((await rpc(edge.urlOf("open"), callV1("GetTask", { id }), headers)).json.result.id).toBe(id);
  });

  it("another method than POST: 405 where the agent may be seen", async () => {
    const answer = await fetch(edge.urlOf("open"), { headers: { authorization: keys.default as string } });
    expect(answer.status).toBe(405);
    expect(answer.headers.get("allow")).toBe("POST");
  });

  it("access.anonymous lets callers in without a credential, all as one, but no false one", async () => {
    const open = await startEdge({ http: { anonymous: true } });
    try {
      const sent = await rpc(open.urlOf("echo"), sendV1("hi"), V1);
      const { id } = sent.json.result.task;
      expect((await rpc(open.urlOf("echo"), callV1("GetTask", { id }), V1)).json.result.id).toBe(id);
      expect((await rpc(open.urlOf("echo"), sendV1("hi"), { ...V1, authorization: "Bearer nonsense" })).status).toBe(
        401,
      );
    } finally {
      await open.stop();
    }
  });
});
