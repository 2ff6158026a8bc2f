import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DELEGATION_EXTENSION } from "../../src/a2a/protocol/delegation-extension.js";
import { newId } from "../../src/shared/ids.js";
import { openDriver } from "../../src/store/sqlite/open-driver.js";
import { callV1, type Edge, rpc, SseReader, scripted, sendV1, startEdge } from "../support/a2a-edge.js";

describe("the life of a task", () => {
  let edge: Edge;
  let headers: Record<string, string>;
  let actor: string;

  beforeAll(async () => {
    edge = await startEdge();
    headers = { authorization: (await edge.key("me")).authorization, "a2a-version": "1.0" };
    actor = edge.urlOf("actor");
  });
  afterAll(async () => {
    expect(edge.faults).toEqual([]);
    await edge.stop();
  });

  const send = async (text: string, rest: object = {}, message: object = {}) =>
    (await rpc(actor, sendV1(text, rest, message), headers)).json;
  const sendV03 = async (params: object) =>
    (
      await rpc(
        actor,
        { jsonrpc: "2.0", id: 1, method: "message/send", params },
        { authorization: headers.authorization },
      )
    ).json;
  const get = async (id: string, rest: object = {}) =>
    (await rpc(actor, callV1("GetTask", { id, ...rest }), headers)).json.result;
  const cancel = async (id: string) => (await rpc(actor, callV1("CancelTask", { id }), headers)).json;
  const atOnce = { configuration: { returnImmediately: true } };

  it("E8 output stands in artifacts, the reason of a failure in the status", async () => {
    const failed = (await send("fail")).result.task;
    expect(failed.status).toMatchObject({
      state: "TASK_STATE_FAILED",
      message: { role: "ROLE_AGENT", parts: [{ text: "it went wrong" }] },
    });
    expect(failed.artifacts).toBeUndefined();
    const rejected = (await send("reject")).result.task;
    expect(rejected.status).toMatchObject({
      state: "TASK_STATE_REJECTED",
      message: { parts: [{ text: "not today" }] },
    });
    const parts = (await send("parts")).result.task;
    expect(parts.artifacts[0].parts).toEqual([
      { data: [1, 2] },
      { data: { a: 1 } },
      { raw: "aGk=", mediaType: "text/plain", filename: "hi.txt" },
    ]);
  });

  it("E9 1.0 waits until the task is settled, with its artifacts; or answers at once", async () => {
    const waited = (await send("slow")).result.task;
    expect(waited.status.state).toBe("TASK_STATE_COMPLETED");
    expect(waited.artifacts[0].parts).toEqual([{ text: "done" }]);
    const immediate = (await send("slow", atOnce)).result.task;
    expect(["TASK_STATE_SUBMITTED", "TASK_STATE_WORKING"]).toContain(immediate.status.state);
  });

  it("E9 0.3 answers at once unless it is to block, then as soon as the task is settled", async () => {
    const message = () => ({
      kind: "message",
      messageId: newId(),
      role: "user",
      parts: [{ kind: "text", text: "slow" }],
    });
    for (const configuration of [undefined, {}, { blocking: false }]) {
      expect(["submitted", "working"]).toContain(
        (await sendV03({ message: message(), configuration })).result.status.state,
      );
    }
    expect((await sendV03({ message: message(), configuration: { blocking: true } })).result.status.state).toBe(
      "completed",
    );
  });

  it("E9 0.3 waits for the time that is configured, and then answers with the task as it stands", async () => {
    const hasty = await startEdge({ http: { blockingTimeoutMs: 50 } });
    try {
      const { authorization } = await hasty.key("me");
      const message = { kind: "message", messageId: newId(), role: "user", parts: [{ kind: "text", text: "hang" }] };
      const body = {
        jsonrpc: "2.0",
        id: 1,
        method: "message/send",
        params: { message, configuration: { blocking: true } },
      };
      const answer = await rpc(hasty.urlOf("actor"), body, { authorization });
      expect(["submitted", "working"]).toContain(answer.json.result.status.state);
    } finally {
      await hasty.stop();
    }
  });

  it("E9 a blocking call returns for a question, too", async () => {
    expect((await send("ask")).result.task.status).toMatchObject({
      state: "TASK_STATE_INPUT_REQUIRED",
      message: { parts: [{ text: "which one?" }] },
    });
    expect((await send("auth")).result.task.status.state).toBe("TASK_STATE_AUTH_REQUIRED");
  });

  it("the history has the length that was asked for", async () => {
    const { id } = (await send("ask")).result.task;
    await send("blue", {}, { taskId: id });
    const texts = (task: { history?: { parts: { text: string }[] }[] }) =>
      task.history?.map((said) => said.parts[0]?.text);
    expect(texts(await get(id))).toEqual(["ask", "which one?", "blue"]);
    expect(texts(await get(id, { historyLength: 1 }))).toEqual(["blue"]);
    expect(texts(await get(id, { historyLength: 0 }))).toBeUndefined();
    expect(texts((await send("ask", { configuration: { historyLength: 0 } })).result.task)).toBeUndefined();
  });

  it("E21 a follow-up continues a task that asks, as often as it asks", async () => {
    const asking = (await send("ask")).result.task;
    const again = (await send("again", {}, { taskId: asking.id, contextId: asking.contextId })).result.task;
    expect(again).toMatchObject({ id: asking.id, status: { state: "TASK_STATE_INPUT_REQUIRED" } });
  });

  it("E21 a follow-up in another context is an error that names it, and changes nothing", async () => {
    const { id } = (await send("ask")).result.task;
    const refused = await send("blue", {}, { taskId: id, contextId: newId() });
    expect(refused.error).toMatchObject({
      code: -32602,
      data: [{ fieldViolations: [{ field: "message.contextId" }] }, {}],
    });
    expect((await get(id)).status.state).toBe("TASK_STATE_INPUT_REQUIRED");
  });

  it("E21 a task that has ended, or does not ask, refuses", async () => {
    const done = (await send("stream")).result.task;
    expect((await send("more", {}, { taskId: done.id })).error?.code).toBe(-32004);
    const busy = (await send("hang", atOnce)).result.task;
    expect((await send("more", {}, { taskId: busy.id })).error?.code).toBe(-32004);
    await cancel(busy.id);
  });

  it("E21 the context that a client names is kept, and referenced tasks are given to the run", async () => {
    const contextId = `mine-${newId()}`;
    const first = (await send("stream", {}, { contextId })).result.task;
    const second = (await send("stream", {}, { contextId, referenceTaskIds: [first.id] })).result.task;
    expect(first.contextId).toBe(contextId);
    expect(second.contextId).toBe(contextId);
    expect(second.history[0].referenceTaskIds).toEqual([first.id]);
    expect(second.id).not.toBe(first.id);
  });

  it("E13 an agent without follow-ups refuses them; one without streaming refuses streams", async () => {
    const plain = await startEdge({
      personas: [
        scripted("plain", [{ when: { text: /^ask/ }, steps: [{ ask: "?" }] }], {
          visibility: "public",
          followUps: false,
          streaming: false,
        }),
      ],
    });
    try {
      const mine = { ...headers, authorization: (await plain.key("me")).authorization };
      const { id } = (await rpc(plain.urlOf("plain"), sendV1("ask"), mine)).json.result.task;
      expect((await rpc(plain.urlOf("plain"), sendV1("x", {}, { taskId: id }), mine)).json.error?.code).toBe(-32004);
      for (const body of [{ ...sendV1("x"), method: "SendStreamingMessage" }, callV1("SubscribeToTask", { id })]) {
        const answer = await rpc(plain.urlOf("plain"), body, mine);
        expect(answer.headers.get("content-type")).toContain("application/json");
        expect(answer.json.error?.code).toBe(-32004);
      }
    } finally {
      await plain.stop();
    }
  });

  it("E12 cancel stops the run; a second one is -32002, as is that of a finished task", async () => {
    const { id } = (await send("hang", atOnce)).result.task;
    expect((await cancel(id)).result).toMatchObject({ id, status: { state: "TASK_STATE_CANCELED" } });
    expect((await cancel(id)).error).toMatchObject({ code: -32002, data: [{ reason: "TASK_NOT_CANCELABLE" }] });
    expect((await cancel((await send("stream")).result.task.id)).error?.code).toBe(-32002);
    const asking = (await send("ask")).result.task;
    expect((await cancel(asking.id)).result.status.state).toBe("TASK_STATE_CANCELED");
  });

  it("E12 a task that waits for an approval is not canceled: the approval is to be denied", async () => {
    const { id } = (await send("ask")).result.task;
    // Nothing that runs here asks for one: that whoever does is answered so, test/daemon/approvals.test.ts shows.
    const file = openDriver(join(edge.directory, "ledger.db"));
    file.prepare("UPDATE tasks SET waiting_for = 'approval' WHERE id = ?").run([id]);
    file.close();
    expect((await cancel(id)).error).toMatchObject({
      code: -32002,
      message: expect.stringContaining("deny the approval"),
      data: [{ reason: "TASK_NOT_CANCELABLE" }],
    });
    expect((await edge.ledger.forTenant("default").task(id))?.state).toBe("waiting");
  });

  it("E12 a blocking call hears of the cancellation", async () => {
    const contextId = newId();
    const waiting = send("hang", {}, { contextId });
    await until(
      async () =>
        (await edge.ledger.forTenant("default").list({ contextId, limit: 1 })).items[0]?.state === "processing",
    );
    const [task] = (await edge.ledger.forTenant("default").list({ contextId, limit: 1 })).items;
    await cancel(task?.id as string);
    expect((await waiting).result.task.status.state).toBe("TASK_STATE_CANCELED");
  });

  it("E11 the same message again is the same task, over versions and blocking modes; another body is a conflict", async () => {
    const messageId = newId();
    const first = (await send("stream", {}, { messageId })).result.task;
    expect(
      (await send("stream", { configuration: { returnImmediately: true, historyLength: 0 } }, { messageId })).result
        .task.id,
    ).toBe(first.id);
    const message = { kind: "message", messageId, role: "user", parts: [{ kind: "text", text: "stream" }] };
    expect((await sendV03({ message })).result.id).toBe(first.id);
    for (const [text, rest, changes] of [
      ["stream!", {}, {}],
      ["stream", { metadata: { more: 1 } }, {}],
      ["stream", {}, { contextId: "elsewhere" }],
      ["stream", {}, { metadata: { more: 1 } }],
    ] as const) {
      const { error } = await send(text, rest, { messageId, ...changes });
      expect(error?.code).toBe(-32602);
      expect(error?.data).toContainEqual(expect.objectContaining({ reason: "MESSAGE_ID_CONFLICT" }));
    }
  });

  it("E11 another key of the same name repeats the same message; another principal has its own", async () => {
    const body = sendV1("stream");
    const sentWith = async (name: string) =>
      (await rpc(actor, body, { ...headers, authorization: (await edge.key(name)).authorization })).json.result.task.id;
    expect(await sentWith("rotating")).toBe(await sentWith("rotating"));
    expect(await sentWith("other")).not.toBe(await sentWith("rotating"));
  });

  it("E11 a follow-up that is repeated is taken once, also after its task has ended", async () => {
    const { id } = (await send("ask")).result.task;
    const messageId = newId();
    const done = (await send("blue", {}, { taskId: id, messageId })).result.task;
    expect(done.status.state).toBe("TASK_STATE_COMPLETED");
    expect((await send("blue", {}, { taskId: id, messageId })).result.task).toEqual(done);
  });

  it("E11 a bare message that is repeated is the same message", async () => {
    const body = sendV1("bare words");
    const [one, two] = [await rpc(actor, body, headers), await rpc(actor, body, headers)];
    expect(one.json.result.message).toMatchObject({ role: "ROLE_AGENT", parts: [{ text: "just bare words" }] });
    expect(one.json.result.message.contextId).toBeDefined();
    expect(one.json.result.message.taskId).toBeUndefined();
    expect(two.json.result).toEqual(one.json.result);
  });

  it("D13 the hops that a caller claims raise ours, and nonsense is refused", async () => {
    const claim = (hop: unknown) => ({ metadata: { [DELEGATION_EXTENSION]: { hop } } });
    const { id } = (await send("stream", {}, claim(2))).result.task;
    expect((await edge.ledger.forTenant("default").task(id))?.hop).toBe(2);
    for (const hop of [-1, 1.5, "2", null]) {
      expect((await send("stream", {}, claim(hop))).error?.data[0].fieldViolations[0].field).toContain(
        DELEGATION_EXTENSION,
      );
    }
  });

  it("a caller that goes away neither cancels nor fails its task", async () => {
    const contextId = newId();
    const gone = new AbortController();
    const options = {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      signal: gone.signal,
    };
    const sent = fetch(actor, { ...options, body: JSON.stringify(sendV1("slow", {}, { contextId })) });
    await until(() => edge.followers.size > 0);
    gone.abort();
    await expect(sent).rejects.toThrow();
    await until(() => edge.followers.size === 0);
    const found = async () => (await edge.ledger.forTenant("default").list({ contextId, limit: 1 })).items[0]?.state;
    await until(async () => (await found()) === "completed");
  });

  it("a server that closes ends what waits: a stream without an error, a blocking call with one that may be tried again", async () => {
    const closing = await startEdge();
    const mine = { ...headers, authorization: (await closing.key("me")).authorization };
    const stream = await SseReader.open(
      closing.urlOf("actor"),
      { ...sendV1("hang"), method: "SendStreamingMessage" },
      mine,
    );
    await stream.next();
    const waiting = rpc(closing.urlOf("actor"), sendV1("hang"), mine);
    await until(() => closing.followers.size === 2);
    await closing.stop();
    await stream.rest();
    const refused = await waiting;
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(refused.json.error?.data).toContainEqual(expect.objectContaining({ reason: "UNAVAILABLE" }));
  });
});

/** Waits for a condition that nobody announces. */
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5));
}
