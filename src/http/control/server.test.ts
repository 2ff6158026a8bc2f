import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { request } from "node:http";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { type ControlHouse, scripted, startControl } from "../../../test/support/control-house.js";
import { DaemonGoneError, NoDaemonError } from "../../client/errors.js";
import { listenOnSocket } from "./listen.js";
import type { FollowLine } from "./schema/task-event.js";

const PERSONAS = [
  scripted("echo"),
  scripted("lead", [
    {
      steps: [
        { status: "asking the expert" },
        { send: { to: "expert", message: "{{input.text}}", await: true, as: "facts" } },
        { chunk: "So: " },
        { reply: "{{results.facts}}" },
      ],
    },
  ]),
  scripted("expert", [
    { when: { text: /^ask/, turn: 1 }, steps: [{ ask: "which one?" }] },
    { when: { turn: 2 }, steps: [{ reply: "then {{input.text}}" }] },
    {
      steps: [
        { send: { to: "echo", message: "deep {{input.text}}", await: true, as: "deep" } },
        { reply: "{{results.deep}}" },
      ],
    },
  ]),
  scripted("broken", [{ steps: [{ fail: { text: "it went wrong", retryable: true } }] }]),
  scripted("stuck", [{ steps: [{ status: "hanging" }, { hang: true }] }], { maxConcurrent: 1 }),
  scripted("elsewhere", [], { tenant: "acme" }),
];

let house: ControlHouse;
beforeEach(async () => {
  house = await startControl(PERSONAS);
});
afterEach(async () => {
  expect(house.faults).toEqual([]);
  await house.stop();
});

const follow = async (id: string): Promise<FollowLine[]> => {
  const lines: FollowLine[] = [];
  for await (const line of house.client.follow(id)) lines.push(line);
  return lines;
};

/** Sends a task and waits until it has ended or asks something. */
async function settled(persona: string, text: string) {
  const { id } = await house.client.send({ persona, text });
  await follow(id);
  return house.client.task(id);
}

describe("the control API", () => {
  it("is open to its owner alone", () => {
    expect(statSync(house.socketPath).mode & 0o777).toBe(0o600);
  });

  it("says how busy the daemon is", async () => {
    await settled("broken", "x");
    expect(await house.client.status()).toMatchObject({
      pid: process.pid,
      uptimeSeconds: expect.any(Number),
      listeners: { http: "http://127.0.0.1:4700", grpc: null, console: null, admission: null },
      admission: null,
      tasks: { pending: 0, processing: 0, waiting: 0, dead: 1 },
      personas: PERSONAS.length,
    });
  });

  it("lists and shows personas, those of other tenants by their tenant", async () => {
    const { personas } = await house.client.personas();
    expect(personas.map(({ name }) => name)).toEqual(PERSONAS.map(({ name }) => name));
    expect(await house.client.persona("elsewhere", "acme")).toMatchObject({
      url: "http://127.0.0.1:4700/v1/tenants/acme/agents/elsewhere/a2a",
      runtime: "scripted",
    });
    await expect(house.client.persona("elsewhere")).rejects.toMatchObject({
      code: "not_found",
      hint: expect.stringContaining("--tenant acme"),
    });
  });

  it("gives a task to a persona, and shows it with messages, artifacts and children", async () => {
    const task = await settled("lead", "tides");
    expect(task).toMatchObject({
      persona: "lead",
      state: "completed",
      trigger: "cli",
      principal: "operator",
      artifacts: [{ name: "result", parts: [{ text: "So: deep tides" }] }],
      children: [{ persona: "expert", state: "completed", parentId: task.id, rootId: task.id }],
      why: null,
    });
    expect(task.messages[0]).toMatchObject({ role: "user", parts: [{ text: "tides" }] });
  });

  it("lists tasks newest first, page by page, by state and persona", async () => {
    const ids: string[] = [];
    for (const text of ["a", "b", "c"]) ids.unshift((await settled("echo", text)).id);
    const first = await house.client.tasks({ persona: "echo", state: "completed", limit: 2 });
    expect(first.tasks.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    const cursor = first.nextCursor ?? undefined;
    const second = await house.client.tasks({ persona: "echo", state: "completed", limit: 2, cursor });
    expect(second).toMatchObject({ tasks: [{ id: ids[2] }], nextCursor: null });
  });

  it("takes the same messageId with the same text once, and refuses another text", async () => {
    const first = await house.client.send({ persona: "echo", text: "once", messageId: "m-1" });
    const again = await house.client.send({ persona: "echo", text: "once", messageId: "m-1" });
    expect([first.created, again.created, again.id]).toEqual([true, false, first.id]);
    await expect(house.client.send({ persona: "echo", text: "twice", messageId: "m-1" })).rejects.toMatchObject({
      code: "conflict",
    });
  });

  it("D18 sends the answer given to a task to the delegated one that asked", async () => {
    const task = await settled("lead", "ask me");
    expect(task).toMatchObject({ state: "waiting", waitingFor: "input", askingChildId: task.children[0]?.id });
    expect(task.statusMessage?.parts).toEqual([{ text: "which one?" }]);
    expect(task.why).toContain(`nuncio task answer ${task.id}`);
    const answered = await house.client.answer(task.id, "the red one");
    expect(answered.answeredId).toBe(task.children[0]?.id);
    await follow(task.id);
    expect(await house.client.task(task.id)).toMatchObject({
      state: "completed",
      artifacts: [{ parts: [{ text: "So: then the red one" }] }],
    });
  });

  it("refuses an answer that nobody asked for", async () => {
    const task = await settled("echo", "done");
    await expect(house.client.answer(task.id, "yes")).rejects.toMatchObject({ code: "failed_precondition" });
  });

  it("D19 cancels a task with what it has delegated, and says why it hung", async () => {
    const { id } = await house.client.send({ persona: "stuck", text: "x" });
    const second = await house.client.send({ persona: "stuck", text: "y" });
    for await (const line of house.client.follow(id)) {
      if (line.type === "event" && line.event.type === "status" && line.event.message !== undefined) break;
    }
    expect((await house.client.task(id)).why).toMatch(/^Running: attempt 1 of 2, last progress/);
    expect((await house.client.task(second.id)).why).toBe(
      "Queued: the only slot of persona stuck is in use (maxConcurrent).",
    );
    const canceled = await house.client.cancel(id, "enough");
    expect(canceled).toMatchObject({ state: "canceled", canceledIds: [id], why: null });
    await house.client.cancel(second.id);
  });

  it("D8 lists, shows, retries and purges dead letters", async () => {
    const dead = await settled("broken", "x");
    const other = await settled("broken", "y");
    expect(dead).toMatchObject({ state: "failed", attempt: 2 });
    const { tasks } = await house.client.deadLetters();
    expect(tasks.map(({ id }) => id)).toEqual([other.id, dead.id]);
    expect(tasks[1]).toMatchObject({ reason: expect.stringContaining("it went wrong"), retriedAs: null });

    const again = await house.client.retryDeadLetter(dead.id);
    expect(again).toMatchObject({ retryOf: dead.id, trigger: "retry", persona: "broken" });
    expect(await house.client.deadLetter(dead.id)).toMatchObject({ retriedAs: again.id, state: "failed" });
    await expect(house.client.retryDeadLetter(dead.id)).rejects.toMatchObject({ code: "conflict" });
    await follow(again.id);

    expect(await house.client.purgeDeadLetters(dead.id)).toEqual({ purged: 1 });
    await expect(house.client.deadLetter(dead.id)).rejects.toMatchObject({ code: "not_found" });
    expect(await house.client.purgeDeadLetters()).toEqual({ purged: 2 });
    expect(await house.client.task(dead.id)).toMatchObject({ state: "failed" });
  });

  it("X7 purges a task that has ended with all that it delegated, and nothing that works or waits for a decision", async () => {
    const done = await settled("lead", "tides");
    const [expert] = (await house.client.task(done.id)).children;
    await expect(house.client.purgeTask(expert?.id ?? "")).rejects.toMatchObject({
      code: "failed_precondition",
      reason: "TASK_IS_DELEGATED",
      hint: `nuncio task purge ${done.id}`,
    });
    const asking = await settled("expert", "ask me");
    await expect(house.client.purgeTask(asking.id)).rejects.toMatchObject({
      code: "failed_precondition",
      reason: "TASK_NOT_ENDED",
      message: `task ${asking.id} is waiting; only what has ended can be purged`,
    });
    const dead = await settled("broken", "x");
    await expect(house.client.purgeTask(dead.id)).rejects.toMatchObject({ reason: "DEAD_LETTER" });

    expect(await house.client.purgeTask(done.id)).toEqual({ purged: 3 });
    for (const id of [done.id, expert?.id ?? ""]) {
      await expect(house.client.task(id)).rejects.toMatchObject({ code: "not_found" });
      await expect(house.client.purgeTask(id)).rejects.toMatchObject({ code: "not_found" });
    }
    await house.client.purgeDeadLetters(dead.id);
    expect(await house.client.purgeTask(dead.id)).toEqual({ purged: 1 });
  });

  it("X7 purges a conversation as a whole, or not at all", async () => {
    const send = async (text: string) => {
      const { id } = await house.client.send({ persona: "expert", text, contextId: "c-1" });
      await follow(id);
      return id;
    };
    await send("tides");
    const asking = await send("ask me");
    await expect(house.client.purgeTasks({ contextId: "c-1" })).rejects.toMatchObject({ reason: "TASK_NOT_ENDED" });
    expect((await house.client.tasks({ contextId: "c-1" })).tasks).toHaveLength(3);
    await house.client.cancel(asking);
    expect(await house.client.purgeTasks({ contextId: "c-1", tenant: "acme" })).toMatchObject({ purged: 0 });
    expect(await house.client.purgeTasks({ contextId: "c-1", olderThanSeconds: 60 })).toMatchObject({
      purged: 0,
      kept: 2,
    });
    expect(await house.client.purgeTasks({ contextId: "c-1" })).toEqual({ purged: 3, kept: 0, nextCursor: null });
    expect((await house.client.tasks({ contextId: "c-1" })).tasks).toEqual([]);
  });

  it("X7 purges by age, and wants to be told what is to go", async () => {
    const { id } = await settled("echo", "tides");
    expect(await house.client.purgeTasks({ olderThanSeconds: 60 })).toEqual({ purged: 0, kept: 0, nextCursor: null });
    for (const wrong of [{}, { cursor: "x", olderThanSeconds: 60 }, { olderThanSeconds: 0 }]) {
      await expect(house.client.purgeTasks(wrong)).rejects.toMatchObject({ code: "invalid_argument" });
    }
    expect(await house.client.task(id)).toMatchObject({ state: "completed" });
  });

  it("makes, lists and revokes keys, and shows a key once", async () => {
    const made = await house.client.createKey({ name: "billing", scopes: ["tasks:read"], expiresInSeconds: 60 });
    expect(made).toMatchObject({ name: "billing", tenant: "default", scopes: ["tasks:read"] });
    expect(made.key).toMatch(/^nk_/);
    expect(Date.parse(made.expiresAt ?? "") - Date.parse(made.createdAt)).toBe(60_000);
    expect(await house.client.revokeKey(made.id)).toEqual({ id: made.id, revoked: true });
    const listed = JSON.stringify(await house.client.keys());
    expect(listed).toContain(made.id);
    expect(listed).not.toContain(made.key);
    await expect(house.client.revokeKey("nobody")).rejects.toMatchObject({ code: "not_found" });
  });

  it("draws the whole tree, whichever of its tasks is named", async () => {
    const task = await settled("lead", "tides");
    const tree = await house.client.tree(task.children[0]?.id ?? "");
    expect(tree).toMatchObject({
      id: task.id,
      children: [{ persona: "expert", children: [{ persona: "echo", state: "completed", children: [] }] }],
    });
  });
});

describe("following a task", () => {
  it("shows each event of each task of the tree once, numbered from 1, parents before children", async () => {
    const { id } = await house.client.send({ persona: "lead", text: "tides" });
    const lines = await follow(id);
    const appeared = lines.flatMap((line) => (line.type === "task" ? [line.task] : []));
    expect(appeared.map(({ persona }) => persona)).toEqual(["lead", "expert", "echo"]);
    for (const task of appeared) {
      const numbers = lines.flatMap((line) =>
        line.type === "event" && line.taskId === task.id ? [line.event.seq] : [],
      );
      expect(numbers).toEqual(numbers.map((_, i) => i + 1));
      expect(numbers).toHaveLength((await house.client.task(task.id)).seq);
    }
    const last = lines.at(-1);
    expect(last).toMatchObject({ type: "event", taskId: id, event: { type: "status", state: "completed" } });
  });

  it("replays a task that has ended, from any event on", async () => {
    const { id, seq } = await settled("lead", "tides");
    const events = (await follow(id)).filter((line) => line.type === "event" && line.taskId === id);
    expect(events).toHaveLength(seq);
    const rest: FollowLine[] = [];
    for await (const line of house.client.follow(id, { after: seq - 1 })) rest.push(line);
    expect(rest.filter((line) => line.type === "event" && line.taskId === id)).toHaveLength(1);
    expect((await house.client.events(id, seq - 2)).events.map((event) => event.seq)).toEqual([seq - 1, seq]);
  });

  it("replays a tree in the order in which it happened", async () => {
    const { id } = await settled("lead", "tides");
    const lines = await follow(id);
    const times = lines.flatMap((line) => (line.type === "event" ? [line.event.at] : []));
    expect(times).toEqual([...times].sort());
    expect(lines.at(-1)).toMatchObject({ taskId: id, event: { state: "completed" } });
  });

  it("leaves the task alone when the follower goes away, and keeps nothing of him", async () => {
    const listeners = house.listeners();
    const { id } = await house.client.send({ persona: "stuck", text: "x" });
    const controller = new AbortController();
    await expect(
      (async () => {
        for await (const _line of house.client.follow(id, { signal: controller.signal })) controller.abort();
      })(),
    ).rejects.toThrow();
    await expect.poll(house.listeners).toBe(listeners);
    expect((await house.client.task(id)).state).not.toBe("canceled");
    await house.client.cancel(id);
  });

  it("is cut off with an error, not ended, when the daemon stops", async () => {
    const { id } = await house.client.send({ persona: "stuck", text: "x" });
    await expect(
      (async () => {
        for await (const line of house.client.follow(id)) {
          if (line.type === "event" && line.event.type === "status") void house.server.close();
        }
      })(),
    ).rejects.toBeInstanceOf(DaemonGoneError);
  });
});

describe("bad requests", () => {
  const raw = (method: string, path: string, body: string | Buffer = "", headers: Record<string, string> = {}) =>
    new Promise<{ status: number; body: { error?: Record<string, unknown> } }>((resolve, reject) => {
      const outgoing = request(
        { socketPath: house.socketPath, method, path, headers, agent: false },
        async (response) => {
          let text = "";
          for await (const chunk of response) text += chunk;
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) });
        },
      );
      outgoing.on("error", reject);
      outgoing.end(body);
    });

  it.each([
    ["a body that is not JSON", "POST", "/v1/tasks", "{", 400, undefined],
    ["a body that is no object", "POST", "/v1/tasks", "[1]", 400, undefined],
    ["a missing field", "POST", "/v1/tasks", '{"persona":"echo"}', 400, "text"],
    ["an empty text", "POST", "/v1/tasks", '{"persona":"echo","text":" "}', 400, "text"],
    ["half a character", "POST", "/v1/tasks", '{"persona":"echo","text":"\\ud83d"}', 400, "text"],
    [
      "half a character in a name",
      "POST",
      "/v1/tasks",
      '{"persona":"echo","text":"x","messageId":"\\ud83d"}',
      400,
      "messageId",
    ],
    [
      "a control character in a name",
      "POST",
      "/v1/tasks",
      '{"persona":"echo","text":"x","contextId":"\\u0000"}',
      400,
      "contextId",
    ],
    ["a control character in a tenant", "POST", "/v1/keys", '{"name":"a","tenant":"\\u001b[2J"}', 400, "tenant"],
    [
      "bytes that are not UTF-8",
      "POST",
      "/v1/tasks",
      Buffer.from('{"persona":"echo","text":"\xff"}', "latin1"),
      400,
      undefined,
    ],
    ["an unknown field", "POST", "/v1/tasks", '{"persona":"echo","text":"x","color":1}', 400, "color"],
    ["a wrong type", "POST", "/v1/tasks", '{"persona":["echo"],"text":"x"}', 400, "persona"],
    ["an unknown persona", "POST", "/v1/tasks", '{"persona":"nobody","text":"x"}', 404, "persona"],
    ["an unknown state", "GET", "/v1/tasks?state=sleeping", "", 400, "state"],
    ["a limit out of bounds", "GET", "/v1/tasks?limit=0", "", 400, "limit"],
    ["a limit that is no number", "GET", "/v1/tasks?limit=ten", "", 400, "limit"],
    ["a cursor of nobody", "GET", "/v1/tasks?tenant=default&cursor=%00", "", 400, "cursor"],
    ["an unknown task", "GET", "/v1/tasks/nobody", "", 404, undefined],
    ["an unknown task to follow", "GET", "/v1/tasks/nobody/follow", "", 404, undefined],
    ["a task of an unknown id to cancel", "POST", "/v1/tasks/nobody/cancel", "", 404, undefined],
    ["a path that does not exist", "GET", "/v2/status", "", 404, undefined],
    ["broken percent-encoding", "GET", "/v1/tasks/%zz", "", 400, undefined],
    ["a target with an empty host", "GET", "//", "", 404, undefined],
    ["a target with a port that no host has", "GET", "//x:99999/", "", 404, undefined],
    ["a target that is no URL", "GET", "http://[/", "", 400, undefined],
    ["another method", "PUT", "/v1/tasks", "", 422, undefined],
    ["a bad name of a key", "POST", "/v1/keys", '{"name":"a/b"}', 400, "name"],
    ["an unknown scope", "POST", "/v1/keys", '{"name":"a","scopes":["root"]}', 400, "scopes[0]"],
    [
      "a body that wants to be a prototype",
      "POST",
      "/v1/tasks",
      '{"__proto__":{"text":"x"},"persona":"echo"}',
      400,
      "text",
    ],
  ])("are told apart: %s", async (_what, method, path, body, status, field) => {
    const answer = await raw(method, path, body);
    expect(answer.status).toBe(status);
    expect(answer.body.error).toMatchObject({ message: expect.any(String), requestId: expect.any(String) });
    expect(answer.body.error?.field).toBe(field);
    expect(JSON.stringify(answer.body)).not.toMatch(/\bat .*\.[jt]s:/);
  });

  it("are cut off at their limit", async () => {
    const answer = await raw("POST", "/v1/tasks", JSON.stringify({ persona: "echo", text: "x".repeat(1_200_000) }));
    expect(answer).toMatchObject({ status: 400, body: { error: { reason: "TOO_LARGE" } } });
  });

  it("name what is loaded when a persona is not", async () => {
    await expect(house.client.send({ persona: "nobody", text: "x" })).rejects.toMatchObject({
      hint: expect.stringContaining("echo, lead, expert"),
    });
  });
});

describe("the socket", () => {
  it("closes also on those who neither read nor finish what they send", async () => {
    const half = connect(house.socketPath);
    half.write("POST /v1/tasks HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{");
    await house.client.status();
    await house.server.close();
    half.destroy();
  });

  it("P12 ends the checks that are running, and says that it closes: that is no fault of ours", async () => {
    const { client } = house;
    const workspace = mkdtempSync(join(tmpdir(), "nuncio-checks-"));
    onTestFinished(() => rmSync(workspace, { recursive: true }));
    const plan = `
schema: 1
title: t
steps: [{ id: a, instruction: hello, persona: echo }]
checks: [{ name: first, command: "true" }, { name: endless, command: sleep, args: ["1000"] }]
limits: { invocations: 1, token_units: null }`;
    const { id } = await client.createPlannedTask({ plan, workspace });
    const given = { step: "a", profile: "nuncio/reviewer", runtime: "native", invocations: 1, revision: 1 };
    const { assignmentId } = await client.assignStep(id, given);
    const { childId } = await client.runAssignment(id, assignmentId, { generation: 0, revision: 2 });
    await follow(childId);
    const lines = client.completePlannedTask(id, 3);
    expect((await lines.next()).value).toMatchObject({ type: "check", check: { name: "first", green: true } });
    const [ended] = await Promise.allSettled([lines.next(), house.server.close()]);
    expect(ended).toMatchObject({ status: "rejected", reason: expect.any(DaemonGoneError) });
  });

  it("is taken over from a daemon that was killed", async () => {
    const left = `${house.socketPath}3`;
    const holder = spawnSync(process.execPath, [
      "-e",
      `require("node:net").createServer().listen(${JSON.stringify(left)}, () => process.kill(process.pid, "SIGKILL"))`,
    ]);
    expect(holder.signal).toBe("SIGKILL");
    expect(existsSync(left)).toBe(true);
    const server = createServer();
    await listenOnSocket(server, left);
    expect(statSync(left).mode & 0o777).toBe(0o600);
    server.close();
  });

  it("does not take the place of what is no socket", async () => {
    const place = `${house.socketPath}4`;
    mkdirSync(place);
    await expect(listenOnSocket(createServer(), place)).rejects.toMatchObject({
      code: "failed_precondition",
      message: `${place} is there, and is no socket`,
    });
    expect(statSync(place).isDirectory()).toBe(true);
  });

  it("is not taken from a daemon that answers", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(`${house.socketPath}2`, resolve));
    await expect(listenOnSocket(createServer(), `${house.socketPath}2`)).rejects.toMatchObject({
      code: "failed_precondition",
    });
    other.close();
  });

  it("is gone with the daemon, and its absence is a typed error", async () => {
    const { client } = house;
    await house.server.close();
    await expect(client.status()).rejects.toBeInstanceOf(NoDaemonError);
  });
});
