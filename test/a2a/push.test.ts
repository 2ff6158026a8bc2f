import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../src/shared/ids.js";
import type { PushSubscription } from "../../src/tasks/push-ledger.js";
import { callV1, type Edge, rpc, scripted, sendV1, startEdge } from "../support/a2a-edge.js";
import { hangs, type Received, Receiver, says } from "../support/receiver.js";

const SECRET = "of-the-hook-alone";
const CREDENTIALS = "credentials-of-the-hook";

describe("push notifications", () => {
  let edge: Edge;
  let receiver: Receiver;
  let headers: Record<string, string>;
  let actor: string;
  /** Where names lead, for the resolver of this test. */
  const names = new Map<string, string[]>();
  const givenUp: string[] = [];

  beforeAll(async () => {
    receiver = await Receiver.start();
    edge = await startEdge({
      personas: [actorOfTests, scripted("quiet", [], { push: false, visibility: "public" })],
      push: {
        outbound: {
          allow: [receiver.pair, `hooks.example:${receiver.port}`],
          resolver: async (host) => names.get(host) ?? [],
        },
        settings: { timeoutMs: 300 },
        onGivenUp: ({ taskId, id }, error) => givenUp.push(`${taskId}/${id}: ${error}`),
      },
    });
    headers = { authorization: (await edge.key("me")).authorization, "a2a-version": "1.0" };
    actor = edge.urlOf("actor");
  });
  afterAll(async () => {
    expect(edge.faults).toEqual([]);
    await edge.stop();
    await receiver.stop();
  });

  const call = async (method: string, params: object, by = headers, url = actor) =>
    (await rpc(url, callV1(method, params), by)).json;
  const call03 = async (method: string, params: object) =>
    (await rpc(actor, callV1(method, params), { authorization: headers.authorization })).json;
  const sendWith = async (text: string, push: object, rest: object = {}, message: object = {}) =>
    (await rpc(actor, sendV1(text, { configuration: { taskPushNotificationConfig: push, ...rest } }, message), headers))
      .json;
  const atOnce = { returnImmediately: true };
  const stored = async (taskId: string, id: string): Promise<PushSubscription> => {
    const push = await edge.ledger.forTenant("default").push.get(taskId, id);
    if (push === null) throw new Error("there is no such subscription");
    return push;
  };
  /** Resolves when what is stored of it is so. */
  const becomes = async (taskId: string, id: string, holds: (push: PushSubscription) => boolean) => {
    for (;;) {
      const push = await stored(taskId, id);
      if (holds(push)) return push;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const isDone = ({ state }: PushSubscription) => state === "done";

  it("E23 1.0 is told what a stream would bring, in order, with its secrets and an id for each event", async () => {
    const url = receiver.url("/all");
    const push = { id: "mine", url, token: SECRET, authentication: { scheme: "Bearer", credentials: CREDENTIALS } };
    const { task } = (await sendWith("stream", push)).result;
    const done = await becomes(task.id, "mine", isDone);
    const told = receiver.at("/all");
    expect(told.map(kindOf)).toEqual([
      "TASK_STATE_WORKING",
      "TASK_STATE_WORKING thinking",
      "one two three",
      "TASK_STATE_COMPLETED",
    ]);
    for (const { headers: sent, body } of told) {
      expect(Object.keys(body)).toHaveLength(1);
      expect(sent).toMatchObject({
        "content-type": "application/a2a+json",
        "a2a-version": "1.0",
        "x-a2a-notification-token": SECRET,
        authorization: `Bearer ${CREDENTIALS}`,
      });
    }
    const events = told.map((each) => String(each.headers["x-nuncio-event-id"]).split("/"));
    expect(new Set(events.map(([id]) => id))).toEqual(new Set([task.id]));
    const numbers = events.map(([, seq]) => Number(seq));
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    expect(done).toMatchObject({ sentSeq: numbers.at(-1), attempts: 0, lastStatus: 204, lastError: null });
  });

  it("E23 0.3 is told the task as it stands, at each change of its status", async () => {
    const url = receiver.url("/legacy");
    const message = { kind: "message", messageId: newId(), role: "user", parts: [{ kind: "text", text: "stream" }] };
    const push = { url, token: SECRET, authentication: { schemes: ["Basic", "Bearer"], credentials: CREDENTIALS } };
    const configuration = { blocking: true, pushNotificationConfig: push };
    const task = (await call03("message/send", { message, configuration })).result;
    await becomes(task.id, task.id, isDone);
    const told = receiver.at("/legacy");
    expect(told.map(({ body }) => `${body.kind} ${body.status.state}`)).toEqual([
      "task working",
      "task working",
      "task completed",
    ]);
    expect(told.at(-1)?.body).toEqual((await call03("tasks/get", { id: task.id })).result);
    expect(told[0]?.headers).toMatchObject({
      "content-type": "application/json",
      "a2a-version": "0.3",
      "x-a2a-notification-token": SECRET,
      authorization: `Basic ${CREDENTIALS}`,
    });
  });

  it("E23 a receiver that fails and then works misses nothing, and knows by its id what it has had", async () => {
    let failures = 3;
    const url = receiver.url("/flaky", (_, response) => {
      failures -= 1;
      response.writeHead(failures >= 0 ? 503 : 200).end();
    });
    const { task } = (await sendWith("stream", { id: "flaky", url })).result;
    await becomes(task.id, "flaky", isDone);
    const told = receiver.at("/flaky").map((each) => each.headers["x-nuncio-event-id"]);
    expect(told.slice(0, 4)).toEqual(Array(4).fill(told[0]));
    expect(new Set(told).size).toBe(4);
    expect(told).toHaveLength(7);
  });

  it("E23 each way to fail is what the outbox says in the end, and none holds up the others", async () => {
    const ways: [id: string, url: string][] = [
      ["fails", receiver.url("/fails", says(500))],
      ["hangs", receiver.url("/hangs", hangs)],
      ["redirects", receiver.url("/redirects", says(302, { location: receiver.url("/elsewhere") }))],
    ];
    const { task } = (await sendWith("ask", { id: "gone", url: receiver.url("/gone", says(410)) }, atOnce)).result;
    await becomes(task.id, "gone", ({ state }) => state === "disabled");
    await call("DeleteTaskPushNotificationConfig", { taskId: task.id, id: "gone" });
    for (const [id, url] of ways) await call("CreateTaskPushNotificationConfig", { taskId: task.id, id, url });
    const quick = receiver.url("/quick");
    await call("CancelTask", { id: task.id });
    const other = (await sendWith("stream", { id: "quick", url: quick })).result.task;
    await becomes(other.id, "quick", isDone);

    const ended = await Promise.all(ways.map(([id]) => becomes(task.id, id, ({ state }) => state === "disabled")));
    expect(ended.map(({ id, attempts, lastStatus, lastError }) => [id, attempts, lastStatus, lastError])).toEqual([
      ["fails", 4, 500, "it answered 500"],
      ["hangs", 4, null, "127.0.0.1 was not done within 300 ms"],
      ["redirects", 4, null, "127.0.0.1 answered with a redirect, which is not followed"],
    ]);
    expect(receiver.at("/gone")).toHaveLength(1);
    expect(receiver.at("/redirects")).toHaveLength(4);
    expect(receiver.at("/elsewhere")).toEqual([]);
    expect(givenUp).toContain(`${task.id}/gone: it answered 410`);
    expect(givenUp).toContain(`${task.id}/fails: it answered 500`);
  });

  it("E23 R4 a name that leads inside when it is dialed is not dialed, whatever it was when it was registered", async () => {
    names.set("rebinds.example", ["93.184.215.14"]);
    const url = `http://rebinds.example:${receiver.port}/rebound`;
    const { task } = (await sendWith("ask", { id: "rebinds", url: receiver.url("/first") }, atOnce)).result;
    await becomes(task.id, "rebinds", ({ lastStatus }) => lastStatus === 204);
    await call("CreateTaskPushNotificationConfig", { taskId: task.id, id: "rebinds", url });
    names.set("rebinds.example", ["127.0.0.1"]);
    await call("CancelTask", { id: task.id });
    const ended = await becomes(task.id, "rebinds", ({ state }) => state === "disabled");
    expect(ended).toMatchObject({
      attempts: 4,
      lastStatus: null,
      lastError: "rebinds.example does not lead to a public address",
    });
    expect(receiver.at("/rebound")).toEqual([]);
  });

  it.each([
    ["an internal address", "http://127.0.0.1:1/x", "must lead to a public address"],
    ["a metadata address", "http://169.254.169.254/latest", "must lead to a public address"],
    ["a name that leads inside", "http://inside.example/x", "must lead to a public address"],
    ["a name that is not there", "http://nowhere.example/x", "must lead to a public address"],
    ["a user and a password", "https://user:pass@hooks.example/x", "must not contain a user name or password"],
    ["another scheme", "ftp://hooks.example/x", "must be an absolute http or https URL"],
    ["a line break", "http://hooks.example/\r\nx", "must be an absolute http or https URL"],
    ["too many characters", `http://hooks.example/${"x".repeat(2048)}`, "must not be longer than 2048 characters"],
    ["none", undefined, "is required"],
  ])("E23 R4 a URL with %s is refused when it is registered, by itself and with a message", async (_, url, said) => {
    names.set("inside.example", ["10.0.0.1"]);
    const { task } = (await sendWith("ask", { url: receiver.url("/ok") }, atOnce)).result;
    const alone = await call("CreateTaskPushNotificationConfig", { taskId: task.id, url });
    expect(alone.error).toMatchObject({ code: -32602, message: expect.stringContaining(said) });
    expect(JSON.stringify(alone.error?.data)).toContain('"url"');
    const along = await sendWith("ask", { url }, atOnce);
    expect(along.error).toMatchObject({ code: -32602, message: expect.stringContaining(said) });
    expect(JSON.stringify(along.error?.data)).toContain('"configuration.taskPushNotificationConfig.url"');
  });

  it.each([
    ["a token with a line break", { token: "a\r\nX-Evil: 1" }],
    ["a token beyond ASCII", { token: "ten €" }],
    ["credentials with a line break", { authentication: { scheme: "Bearer", credentials: "a\nb" } }],
    ["a scheme that is none", { authentication: { scheme: "Bearer x", credentials: "a" } }],
    ["no scheme", { authentication: { credentials: "a" } }],
    ["a token that is too long", { token: "x".repeat(5000) }],
    ["an id with a control character", { id: "a\u0000b" }],
    ["a token that is no text", { token: 5 }],
  ])("E23 refuses %s", async (_, wish) => {
    const refused = await sendWith("ask", { url: receiver.url("/ok"), ...wish }, atOnce);
    expect(refused.error).toMatchObject({ code: -32602 });
  });

  it("E23 configurations are made, read, listed, replaced and deleted by whom the task belongs to", async () => {
    const { task } = (await sendWith("ask", { id: "first", url: receiver.url("/crud"), token: SECRET }, atOnce)).result;
    const authentication = { scheme: "Bearer", credentials: CREDENTIALS };
    const second = { taskId: task.id, id: "second", url: receiver.url("/crud"), token: "x", authentication };
    expect((await call("CreateTaskPushNotificationConfig", second)).result).toEqual(second);
    expect((await call("GetTaskPushNotificationConfig", { taskId: task.id, id: "second" })).result).toEqual(second);
    const made = (await call("CreateTaskPushNotificationConfig", { taskId: task.id, url: receiver.url("/crud") }))
      .result;
    expect(made.id).toMatch(/^[0-9a-f-]{36}$/);

    const list = async (rest: object) =>
      (await call("ListTaskPushNotificationConfigs", { taskId: task.id, ...rest })).result;
    const [page, next] = [await list({ pageSize: 2 }), "nextPageToken"];
    expect(page.configs).toHaveLength(2);
    const rest = await list({ pageToken: page[next] });
    expect(rest).not.toHaveProperty(next);
    expect([...page.configs, ...rest.configs].map(({ id }: { id: string }) => id).sort()).toEqual(
      [made.id, "first", "second"].sort(),
    );
    const wrong = await call("ListTaskPushNotificationConfigs", { taskId: task.id, pageToken: "x" });
    expect(wrong.error?.code).toBe(-32602);

    const more = await call("CreateTaskPushNotificationConfig", { taskId: task.id, url: receiver.url("/crud") });
    expect(more.error).toMatchObject({ code: -32000, message: expect.stringContaining("3 push notification") });
    const changed = { taskId: task.id, id: "second", url: receiver.url("/other") };
    expect((await call("CreateTaskPushNotificationConfig", changed)).result).toEqual(changed);
    for (let times = 0; times < 2; times++) {
      const deleted = await call("DeleteTaskPushNotificationConfig", { taskId: task.id, id: "second" });
      expect(deleted).toMatchObject({ result: {} });
    }
    const gone = await call("GetTaskPushNotificationConfig", { taskId: task.id, id: "second" });
    expect(gone.error?.code).toBe(-32001);
    for (const method of ["Create", "Get", "Delete"]) {
      const params = { taskId: newId(), id: "x", url: receiver.url("/crud") };
      expect((await call(`${method}TaskPushNotificationConfig`, params)).error?.code).toBe(-32001);
    }
  });

  it("E23 in 0.3 they have that version's names and shapes, and the one without an id is the task's", async () => {
    const { task } = (await sendWith("ask", { id: "first", url: receiver.url("/ok") }, atOnce)).result;
    const authentication = { schemes: ["Bearer"], credentials: CREDENTIALS };
    const push = { url: receiver.url("/old"), token: SECRET, authentication };
    const method = (verb: string) => `tasks/pushNotificationConfig/${verb}`;
    const set = await call03(method("set"), { taskId: task.id, pushNotificationConfig: push });
    const own = { taskId: task.id, pushNotificationConfig: { ...push, id: task.id } };
    expect(set.result).toEqual(own);
    expect((await call03(method("get"), { id: task.id })).result).toEqual(own);
    const listed = (await call03(method("list"), { id: task.id })).result;
    expect(listed).toEqual(expect.arrayContaining([own]));
    expect(listed).toHaveLength(2);
    const deleted = await call03(method("delete"), { id: task.id, pushNotificationConfigId: task.id });
    expect(deleted).toMatchObject({ result: null });
    expect(deleted).not.toHaveProperty("error");
    expect((await call03(method("list"), { id: task.id })).result).toHaveLength(1);
  });

  it("E10 E23 another caller finds neither the task nor its configurations, also when it may read all tasks", async () => {
    const push = { id: "mine", url: receiver.url("/ok"), token: SECRET };
    const { task } = (await sendWith("ask", push, atOnce)).result;
    const params = { taskId: task.id, id: "mine", url: receiver.url("/stolen") };
    const strangers = [await edge.key("stranger"), await edge.key("far", { tenant: "acme" })];
    for (const { authorization } of strangers) {
      for (const verb of ["Create", "Get", "Delete"]) {
        const by = { ...headers, authorization };
        const { error } = await call(`${verb}TaskPushNotificationConfig`, params, by);
        expect(error).toMatchObject({ code: -32001, message: "Task not found" });
        const absent = await call(`${verb}TaskPushNotificationConfig`, { ...params, taskId: newId() }, by);
        expect(absent.error?.message).toBe(error?.message);
      }
      const by = { ...headers, authorization };
      expect((await call("ListTaskPushNotificationConfigs", params, by)).error?.code).toBe(-32001);
    }
    expect((await call("GetTaskPushNotificationConfig", params)).result.url).toBe(push.url);
  });

  it("E13 E23 where an agent notifies nobody, all of it is refused, with a message too", async () => {
    const quiet = edge.urlOf("quiet");
    for (const verb of ["Create", "Get", "Delete"]) {
      const params = { taskId: newId(), id: "x", url: receiver.url("/ok") };
      const { error } = await call(`${verb}TaskPushNotificationConfig`, params, headers, quiet);
      expect(error?.code).toBe(-32003);
    }
    const configuration = { taskPushNotificationConfig: { url: receiver.url("/ok") } };
    const sent = (await rpc(quiet, sendV1("hello", { configuration }), headers)).json;
    expect(sent.error?.code).toBe(-32003);
    const { data } = await rpc(quiet, sendV1("hello"), headers).then(({ json }) => ({ data: json.result.task }));
    expect(data.status.state).toBe("TASK_STATE_COMPLETED");
  });

  it("E11 a message that is sent again, with the same configuration, doubles nothing; with another it is another", async () => {
    const message = { messageId: newId() };
    const push = { url: receiver.url("/twice"), token: SECRET };
    const first = (await sendWith("stream", push, {}, message)).result.task;
    const again = (await sendWith("stream", push, {}, message)).result.task;
    expect(again.id).toBe(first.id);
    const configs = (await call("ListTaskPushNotificationConfigs", { taskId: first.id })).result.configs;
    expect(configs).toHaveLength(1);
    await becomes(first.id, configs[0].id, isDone);
    expect(receiver.at("/twice")).toHaveLength(4);
    const other = await sendWith("stream", { ...push, token: "another" }, {}, message);
    expect(other.error).toMatchObject({ code: -32602 });
    expect(JSON.stringify(other.error?.data)).toContain("MESSAGE_ID_CONFLICT");
  });

  it("E23 whoever is answered by a Message is told that Message", async () => {
    const said = (await sendWith("bare", { id: "bare", url: receiver.url("/bare") })).result.message;
    const [told] = await receiver.until("/bare", 1);
    expect(told?.body).toEqual({ message: said });
  });

  it("E21 E23 a configuration that comes with an answer is told what follows on it", async () => {
    const { task } = (await sendWith("ask", { id: "first", url: receiver.url("/asked") }, atOnce)).result;
    await receiver.until("/asked", 2);
    await sendWith("again", { id: "later", url: receiver.url("/answered") }, {}, { taskId: task.id });
    await receiver.until("/answered", 2);
    expect(receiver.at("/answered").map(kindOf)).toEqual([
      "TASK_STATE_WORKING",
      "TASK_STATE_INPUT_REQUIRED and once more?",
    ]);
    expect(receiver.at("/asked").map(kindOf).slice(0, 2)).toEqual([
      "TASK_STATE_WORKING",
      "TASK_STATE_INPUT_REQUIRED which one?",
    ]);
  });

  it("E23 of a task that has ended its end is told, also when its events are compacted by then", async () => {
    const { task } = (await sendWith("stream", { id: "first", url: receiver.url("/ok") })).result;
    await becomes(task.id, "first", isDone);
    await call("CreateTaskPushNotificationConfig", { taskId: task.id, id: "late", url: receiver.url("/late") });
    await becomes(task.id, "late", isDone);
    expect(receiver.at("/late").map(kindOf)).toEqual(["TASK_STATE_COMPLETED"]);
    await edge.ledger.system.retention.compact({ tenant: "default", taskId: task.id });
    await call("CreateTaskPushNotificationConfig", { taskId: task.id, id: "late", url: receiver.url("/later") });
    await becomes(task.id, "late", isDone);
    expect(receiver.at("/later").map(({ body }) => body)).toEqual([{ task: await current(task.id) }]);
  });
  const current = async (id: string) => (await call("GetTask", { id })).result;

  it("E23 one slow receiver is told in order, one after another, and nobody else waits for it", async () => {
    let answer: () => void = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const slow = receiver.url("/slow", (_, response) => void answered.then(() => response.writeHead(200).end()));
    const { task } = (await sendWith("stream", { id: "slow", url: slow })).result;
    const [first] = await receiver.until("/slow", 1);
    const { task: other } = (await sendWith("stream", { id: "fast", url: receiver.url("/fast") })).result;
    await becomes(other.id, "fast", isDone);
    // However often it was tried meanwhile, nothing else came before this was taken.
    expect(new Set(receiver.at("/slow").map(eventIdOf))).toEqual(new Set([eventIdOf(first as Received)]));
    answer();
    await becomes(task.id, "slow", isDone);
    const told = new Map(receiver.at("/slow").map((each) => [eventIdOf(each), kindOf(each)]));
    expect([...told.values()]).toEqual(receiver.at("/fast").map(kindOf));
  });

  it("R7 X13 secrets are nowhere on the disk as they are, and open only where the keys are", async () => {
    const url = `${receiver.url("/sealed")}?key=${SECRET}`;
    const push = { id: "sealed", url, token: SECRET, authentication: { scheme: "Bearer", credentials: CREDENTIALS } };
    const { task } = (await sendWith("ask", push, atOnce)).result;
    expect((await call("GetTaskPushNotificationConfig", { taskId: task.id, id: "sealed" })).result).toMatchObject(push);
    for (const name of readdirSync(edge.directory).filter((file) => file.startsWith("ledger.db"))) {
      const bytes = readFileSync(join(edge.directory, name));
      for (const secret of [SECRET, CREDENTIALS, "/sealed"]) expect(bytes.includes(secret), name).toBe(false);
    }
    expect((await stored(task.id, "sealed")).sealed).toMatch(/^s1\./);
  });
});

it("E23 receivers that hang keep nobody else waiting", async () => {
  const receiver = await Receiver.start();
  const edge = await startEdge({
    personas: [actorOfTests],
    // Whatever is told here is told while the others hang.
    push: { outbound: { allow: [receiver.pair] }, concurrency: 8, settings: { timeoutMs: 100_000 } },
  });
  const sendAs = async (authorization: string, url: string) => {
    const configuration = { taskPushNotificationConfig: { id: "hook", url }, returnImmediately: true };
    await rpc(edge.urlOf("actor"), sendV1("ask", { configuration }), { authorization, "a2a-version": "1.0" });
  };
  const { authorization: greedy } = await edge.key("greedy");
  for (let at = 0; at < 20; at++) await sendAs(greedy, receiver.url(`/hangs${at}`, hangs));
  await receiver.until("/hangs0", 1);
  const { authorization: modest } = await edge.key("modest");
  await sendAs(modest, receiver.url("/works"));
  await receiver.until("/works", 2);
  expect(receiver.received.filter(({ path }) => path.startsWith("/hangs")).length).toBeLessThanOrEqual(4);
  await edge.stop();
  await receiver.stop();
});

const eventIdOf = ({ headers }: Received): string => String(headers["x-nuncio-event-id"]);

/** What a 1.0 notification says, in few words. */
function kindOf({ body }: Received): string {
  if (body.artifactUpdate !== undefined) return body.artifactUpdate.artifact.parts[0].text;
  const { state, message } = body.statusUpdate.status;
  return message === undefined ? state : `${state} ${message.parts[0].text}`;
}

const actorOfTests = scripted(
  "actor",
  [
    { when: { turn: 2, text: /^again/ }, steps: [{ ask: "and once more?" }] },
    { when: { text: /^ask/ }, steps: [{ ask: "which one?" }] },
    { when: { text: /^bare/ }, steps: [{ message: "just {{input.text}}" }] },
    {
      when: { text: /^stream/ },
      steps: [{ status: "thinking" }, { chunk: "one " }, { chunk: "two " }, { reply: "three" }],
    },
  ],
  { visibility: "public" },
);
