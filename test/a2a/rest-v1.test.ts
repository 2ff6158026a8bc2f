import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../src/shared/ids.js";
import { type Edge, echo, SseReader, scripted, startEdge } from "../support/a2a-edge.js";
import { rest } from "../support/rest.js";

const JSON_OF_A2A = "application/a2a+json";

const worker = scripted(
  "worker",
  [
    { when: { text: /^ask/ }, steps: [{ ask: "which one?" }] },
    { when: { text: /^hang/ }, steps: [{ hang: true }] },
    { when: { text: /^bare/ }, steps: [{ message: "just that" }] },
    { when: { text: /^stream/ }, steps: [{ chunk: "one " }, { chunk: "two " }, { reply: "three" }] },
  ],
  { visibility: "public" },
);

describe("HTTP+JSON of 1.0", () => {
  let edge: Edge;
  let authorization: string;
  let base: string;

  beforeAll(async () => {
    edge = await startEdge({
      personas: [
        echo,
        worker,
        { ...worker, name: "quiet", streaming: false },
        { ...echo, name: "inner", tenant: "acme", visibility: "private" },
      ],
      http: { bodyLimit: 4096 },
    });
    authorization = (await edge.key("me")).authorization;
    base = edge.urlOf("worker");
  });
  afterAll(async () => {
    expect(edge.faults).toEqual([]);
    await edge.stop();
  });

  const call = (method: string, path: string, body?: unknown, headers: Record<string, string | undefined> = {}) =>
    rest(method, path.startsWith("http") ? path : base + path, {
      body,
      headers: { authorization, "a2a-version": "1.0", ...headers },
    });
  const message = (text: string, over: object = {}) => ({
    message: { messageId: newId(), role: "ROLE_USER", parts: [{ text }], ...over },
  });
  const start = async (text: string) =>
    (await call("POST", "/message:send", { ...message(text), configuration: { returnImmediately: true } })).json.task
      .id;
  const stream = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    new SseReader(
      await fetch(base + path, {
        method,
        headers: { authorization, "a2a-version": "1.0", "content-type": JSON_OF_A2A, ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );

  it("E20 each operation is at its path, and answers in the media type of A2A", async () => {
    const sent = await call("POST", "/message:send", message("hello"));
    expect(sent).toMatchObject({ status: 200, json: { task: { status: { state: "TASK_STATE_COMPLETED" } } } });
    expect(sent.headers.get("content-type")).toBe(JSON_OF_A2A);
    const { id } = sent.json.task;
    const got = await call("GET", `/tasks/${id}?historyLength=0`);
    expect(got.json).toMatchObject({ id, artifacts: [{ parts: [{ text: "hello" }] }] });
    expect(got.json).not.toHaveProperty("history");
    expect((await call("GET", "/tasks?pageSize=1&includeArtifacts=true")).json).toMatchObject({
      tasks: [{ id, artifacts: [{}] }],
      pageSize: 1,
    });
    const hanging = await start("hang");
    expect((await call("POST", `/tasks/${hanging}:cancel`)).json).toMatchObject({
      id: hanging,
      status: { state: "TASK_STATE_CANCELED" },
    });
    const bare = await call("POST", "/message:send", message("bare"));
    expect(bare.json).toEqual({ message: expect.objectContaining({ role: "ROLE_AGENT" }) });
  });

  it("E22 a stream has results without an envelope, by either method, and goes on after the event that was seen", async () => {
    const reader = await stream("POST", "/message:stream", message("stream"));
    expect(reader.response.headers.get("content-type")).toMatch(/^text\/event-stream/);
    const events = await reader.rest();
    expect(Object.keys(events[0]?.data)).toEqual(["task"]);
    expect(events.at(-1)?.data).toMatchObject({ statusUpdate: { status: { state: "TASK_STATE_COMPLETED" } } });
    const { id } = events[0]?.data.task ?? {};
    const seen = events[1]?.id as number;
    for (const method of ["GET", "POST"]) {
      const replayed = await (
        await stream(method, `/tasks/${id}:subscribe`, undefined, { "last-event-id": String(seen) })
      ).rest();
      expect(replayed[0]?.data).toHaveProperty("task");
      expect(replayed.slice(1)).toEqual(events.filter((event) => (event.id as number) > seen));
    }
    const bare = await (await stream("POST", "/message:stream", message("bare"))).rest();
    expect(bare.map(({ data }) => Object.keys(data))).toEqual([["message"]]);
  });

  it("E22 what is known to be wrong before the first event is an answer of its own", async () => {
    const { id } = (await call("POST", "/message:send", message("hello"))).json.task;
    const quiet = edge.urlOf("quiet");
    for (const [status, reason, reply] of [
      [400, "UNSUPPORTED_OPERATION", await call("GET", `/tasks/${id}:subscribe`)],
      [404, "TASK_NOT_FOUND", await call("POST", `/tasks/${newId()}:subscribe`)],
      [400, "UNSUPPORTED_OPERATION", await call("POST", `${quiet}/message:stream`, message("hello"))],
      [400, "INVALID_PARAMS", await call("POST", "/message:stream", {})],
      [400, "INVALID_PARAMS", await call("GET", `/tasks/${id}:subscribe`, undefined, { "last-event-id": "x" })],
    ] as const) {
      expect(reply.status).toBe(status);
      expect(reply.headers.get("content-type")).toBe(JSON_OF_A2A);
      expect(JSON.stringify(reply.json.error.details)).toContain(reason);
    }
  });

  it("E20 an error is a google.rpc.Status that names what is wrong", async () => {
    const { status, json } = await call("GET", "/tasks?pageSize=150");
    expect(status).toBe(400);
    expect(json).toEqual({
      error: {
        code: 400,
        status: "INVALID_ARGUMENT",
        message: "Invalid parameters: pageSize must be a whole number from 1 to 100, got 150",
        details: [
          {
            "@type": "type.googleapis.com/google.rpc.BadRequest",
            fieldViolations: [{ field: "pageSize", description: "must be a whole number from 1 to 100, got 150" }],
          },
          { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "INVALID_PARAMS", domain: "nuncio.dev" },
        ],
      },
    });
  });

  it.each<[string, string, number, string, string, unknown?]>([
    ["send", "POST", 400, "message", "/message:send", {}],
    ["send", "POST", 400, "message", "/message:send"],
    ["stream", "POST", 400, "message.parts", "/message:stream", { message: { messageId: "m", role: "ROLE_USER" } }],
    ["get", "GET", 400, "historyLength", "/tasks/x?historyLength=-1"],
    ["get", "GET", 400, "historyLength", "/tasks/x?historyLength=many"],
    ["get", "GET", 404, "TASK_NOT_FOUND", "/tasks/x"],
    ["list", "GET", 400, "status", "/tasks?status=working"],
    ["list", "GET", 400, "pageToken", "/tasks?pageToken=x"],
    ["list", "GET", 400, "includeArtifacts", "/tasks?includeArtifacts=yes"],
    ["list", "GET", 400, "statusTimestampAfter", "/tasks?statusTimestampAfter=2025-01-01T00:00:00+01:00"],
    ["cancel", "POST", 404, "TASK_NOT_FOUND", "/tasks/x:cancel", {}],
    ["cancel", "POST", 400, "id", "/tasks/x:cancel", { id: "y" }],
    ["subscribe", "GET", 404, "TASK_NOT_FOUND", "/tasks/x:subscribe"],
    [
      "createPush",
      "POST",
      400,
      "taskId",
      "/tasks/x/pushNotificationConfigs",
      { taskId: "y", url: "https://h.example" },
    ],
    ["createPush", "POST", 400, "url", "/tasks/x/pushNotificationConfigs", {}],
    ["getPush", "GET", 404, "TASK_NOT_FOUND", "/tasks/x/pushNotificationConfigs/p"],
    ["listPush", "GET", 400, "pageSize", "/tasks/x/pushNotificationConfigs?pageSize=x"],
    ["deletePush", "DELETE", 404, "TASK_NOT_FOUND", "/tasks/x/pushNotificationConfigs/p"],
    ["extendedCard", "GET", 400, "tenant", "/extendedAgentCard?tenant=other"],
    ["a path that is none", "GET", 404, "PATH_NOT_FOUND", "/nothing"],
    ["a path that is none", "GET", 404, "PATH_NOT_FOUND", "/tasks/%ff"],
  ])("R5 %s by %s: %i, because of %s", async (_, method, status, because, path, body) => {
    const reply = await call(method, path, body);
    expect(reply.status).toBe(status);
    expect(reply.json.error).toMatchObject({ code: status, message: expect.stringMatching(/\w/) });
    expect(JSON.stringify(reply.json.error.details)).toContain(because);
  });

  it.each([
    ["GET", "/message:send", "POST"],
    ["HEAD", "/tasks", "GET"],
    ["OPTIONS", "/tasks/x", "GET"],
    ["PUT", "/tasks/x/pushNotificationConfigs/p", "GET, DELETE"],
    ["DELETE", "/tasks/x:subscribe", "GET, POST"],
    ["POST", "/extendedAgentCard", "GET"],
  ])("E20 %s %s is not allowed, and told what is: %s", async (method, path, allow) => {
    const reply = await call(method, path);
    expect(reply.status).toBe(405);
    expect(reply.headers.get("allow")).toBe(allow);
    if (method !== "HEAD") expect(reply.json.error).toMatchObject({ code: 405, status: "UNIMPLEMENTED" });
  });

  it("E4 whoever is not let in learns nothing of paths and methods", async () => {
    const own = (name: string) => edge.urlOf(name);
    const paths = [
      "/message:send",
      "/tasks",
      "/tasks/x:cancel",
      "/nothing",
      "/v1/tasks/x",
      "/v1/nothing",
      "/acme/tasks",
    ];
    for (const method of ["GET", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"]) {
      for (const path of paths) {
        const hidden = await rest(method, own("absent") + path);
        const inner = `${edge.origin}/v1/tenants/acme/agents/inner/a2a`;
        for (const headers of [{}, { authorization }]) {
          const reply = await rest(method, inner + path, { headers });
          expect({ status: reply.status, text: reply.text, type: reply.headers.get("content-type") }).toEqual({
            status: 404,
            text: hidden.text,
            type: hidden.headers.get("content-type"),
          });
        }
        const stranger = await rest(method, base + path);
        expect(stranger.status).toBe(401);
        expect(stranger.headers.get("www-authenticate")).toBe('Bearer realm="nuncio"');
        expect(stranger.headers.get("allow")).toBeNull();
      }
    }
  });

  it("E5 a scope that is missing is an error in the words of the binding", async () => {
    const { authorization: reader } = await edge.key("reader", { scopes: ["tasks:read"] });
    const reply = await call("POST", "/message:send", message("hello"), { authorization: reader });
    expect(reply).toMatchObject({ status: 403, json: { error: { code: 403, status: "PERMISSION_DENIED" } } });
    expect(reply.headers.get("www-authenticate")).toContain("insufficient_scope");
    expect((await call("GET", "/tasks", undefined, { authorization: reader })).status).toBe(200);
  });

  it("E24 the tenant of path, body and query must be the agent's", async () => {
    const acme = (await edge.key("theirs", { tenant: "acme" })).authorization;
    const inner = `${edge.origin}/v1/tenants/acme/agents/inner/a2a`;
    const own = { authorization: acme };
    expect((await call("POST", `${inner}/acme/message:send`, message("hello"), own)).status).toBe(200);
    expect((await call("POST", `${inner}/acme/message:send`, { ...message("hi"), tenant: "acme" }, own)).status).toBe(
      200,
    );
    expect((await call("GET", `${inner}/acme/tasks?pageSize=1&tenant=acme`, undefined, own)).status).toBe(200);
    for (const reply of [
      await call("POST", `${inner}/default/message:send`, message("hello"), own),
      await call("POST", `${inner}/acme/message:send`, { ...message("hello"), tenant: "default" }, own),
      await call("POST", `${inner}/message:send`, { ...message("hello"), tenant: "default" }, own),
      await call("GET", `${inner}/acme/tasks?tenant=default`, undefined, own),
      await call("GET", `${inner}/tasks?tenant=default`, undefined, own),
    ]) {
      expect(reply).toMatchObject({ status: 400, json: { error: { message: expect.stringContaining("tenant") } } });
    }
  });

  it("E20 a path of 1.0 without a version means 1.0; another version is refused", async () => {
    for (const version of [undefined, "", "1.0", "1.0.1", " 1.0 "]) {
      expect((await call("GET", "/tasks?pageSize=1", undefined, { "a2a-version": version })).status).toBe(200);
    }
    expect(
      (await call("GET", "/tasks?pageSize=1&A2A-Version=1.0", undefined, { "a2a-version": undefined })).status,
    ).toBe(200);
    for (const version of ["0.3", "0.5", "2.0", "one"]) {
      const reply = await call("GET", "/tasks", undefined, { "a2a-version": version });
      expect(reply).toMatchObject({ status: 400, json: { error: { status: "FAILED_PRECONDITION" } } });
      expect(reply.text).toContain("VERSION_NOT_SUPPORTED");
    }
  });

  it("E24 a body that is too large, no JSON, or something else", async () => {
    const long = "x".repeat(5000);
    expect(await call("POST", "/message:send", message(long))).toMatchObject({
      status: 413,
      json: { error: { code: 413, status: "RESOURCE_EXHAUSTED" } },
    });
    for (const type of [JSON_OF_A2A, "application/json", "application/json; charset=utf-8"]) {
      const reply = await call("POST", "/message:send", message("hello"), { "content-type": type });
      expect(reply.status).toBe(200);
    }
    for (const type of ["text/plain", "application/xml", "application/x-www-form-urlencoded"]) {
      const reply = await call("POST", "/message:send", message("hello"), { "content-type": type });
      expect(reply).toMatchObject({ status: 400, json: { error: { status: "INVALID_ARGUMENT" } } });
      expect(reply.text).toContain("CONTENT_TYPE_NOT_SUPPORTED");
    }
    for (const body of ["{", "[]", '"text"', "null", "7"]) {
      expect(await call("POST", "/message:send", body)).toMatchObject({ status: 400, json: { error: { code: 400 } } });
    }
  });
});

describe("HTTP+JSON of 1.0.0, by the compatibility switch", () => {
  let edge: Edge;
  beforeAll(async () => {
    edge = await startEdge({ personas: [echo], http: { compat: () => "1.0.0" } });
  });
  afterAll(() => edge.stop());

  it("E20 has the media type and the statuses of then", async () => {
    const { authorization } = await edge.key("me");
    const headers = { authorization, "a2a-version": "1.0" };
    const base = edge.urlOf("echo");
    const body = { message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "hello" }] } };
    const sent = await rest("POST", `${base}/message:send`, { body, headers });
    expect(sent.headers.get("content-type")).toMatch(/^application\/json/);
    const canceled = await rest("POST", `${base}/tasks/${sent.json.task.id}:cancel`, { headers });
    expect(canceled).toMatchObject({ status: 409, json: { error: { code: 409, status: "FAILED_PRECONDITION" } } });
    const typed = { ...headers, "content-type": "text/plain" };
    expect((await rest("POST", `${base}/message:send`, { body, headers: typed })).status).toBe(415);
  });
});
