import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Task } from "../../src/tasks/task.js";
import { callV1, type Edge, rpc, type SseEvent, SseReader, scripted, sendV1, startEdge } from "../support/a2a-edge.js";

const streamV1 = (text: string, message: object = {}) => ({
  ...sendV1(text, {}, message),
  method: "SendStreamingMessage",
});
const subscribe = (id: string) => callV1("SubscribeToTask", { id });

/** What an event is about, in one word. */
function shortly({ data }: SseEvent): string {
  const { task, statusUpdate, artifactUpdate } = data.result;
  if (artifactUpdate !== undefined) return "artifact";
  return (task === undefined ? statusUpdate.status.state : `task ${task.status.state}`).replace("TASK_STATE_", "");
}

describe("streams", () => {
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

  const sendAtOnce = async (text: string) =>
    (await rpc(actor, sendV1(text, { configuration: { returnImmediately: true } }), headers)).json.result.task
      .id as string;
  const cancel = (id: string) => rpc(actor, callV1("CancelTask", { id }), headers);

  it("E22 begin with the task, number their events, and end with the task", async () => {
    const stream = await SseReader.open(actor, streamV1("stream"), headers);
    expect(stream.response.status).toBe(200);
    expect(stream.response.headers.get("content-type")).toContain("text/event-stream");
    const events = await stream.rest();
    expect(shortly(events[0] as SseEvent)).toBe("task SUBMITTED");
    expect(events.map(shortly).at(-1)).toBe("COMPLETED");
    const ids = events.map(({ id }) => id as number);
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
    expect(new Set(ids).size).toBe(ids.length);
    expect(events.every(({ data }) => data.jsonrpc === "2.0" && data.id === 1)).toBe(true);
  });

  it.each([
    ["ask", "INPUT_REQUIRED"],
    ["auth", "AUTH_REQUIRED"],
    ["fail", "FAILED"],
    ["reject", "REJECTED"],
  ])("E22 end when the task is settled: %s, %s", async (text, state) => {
    const events = await (await SseReader.open(actor, streamV1(text), headers)).rest();
    expect(events.map(shortly).at(-1)).toBe(state);
  });

  it("E21 E22 an answer is streamed from the task on", async () => {
    const asking = (await rpc(actor, sendV1("ask"), headers)).json.result.task;
    const events = await (await SseReader.open(actor, streamV1("blue", { taskId: asking.id }), headers)).rest();
    expect(events[0]?.data.result.task).toMatchObject({ id: asking.id, status: { state: "TASK_STATE_WORKING" } });
    expect(events.map(shortly).at(-1)).toBe("COMPLETED");
    expect(events.some((event) => shortly(event) === "INPUT_REQUIRED")).toBe(false);
  });

  it("E22 errors that are known before the first event are no streams", async () => {
    for (const body of [streamV1("x", { taskId: "nobody" }), streamV1("x", { parts: [] }), subscribe("nobody")]) {
      const answer = await rpc(actor, body, headers);
      expect(answer.headers.get("content-type")).toContain("application/json");
      expect(answer.json.error).toBeDefined();
    }
  });

  it("E22 several subscribers get the same events in the same order", async () => {
    const working = await SseReader.open(actor, streamV1("hang"), headers);
    const id = (await working.next())?.data.result.task.id;
    while (shortly((await working.next()) as SseEvent) !== "WORKING");
    await working.next();
    await working.cancel();
    const readers = await Promise.all([1, 2, 3].map(() => SseReader.open(actor, subscribe(id), headers)));
    for (const reader of readers) await reader.next();
    await cancel(id);
    const rests = await Promise.all(
      readers.map(async (reader) => (await reader.rest()).map((event) => event.data.result)),
    );
    expect(rests[1]).toEqual(rests[0]);
    expect(rests[2]).toEqual(rests[0]);
    expect(rests[0]?.at(-1).statusUpdate.status.state).toBe("TASK_STATE_CANCELED");
  });

  it("E22 a reader that leaves is forgotten at once, and its task goes on", async () => {
    const id = await sendAtOnce("hang");
    const reader = await SseReader.open(actor, subscribe(id), headers);
    await reader.next();
    expect(edge.followers.size).toBe(1);
    await reader.cancel();
    while (edge.followers.size > 0) await new Promise((resolve) => setImmediate(resolve));
    expect((await rpc(actor, callV1("GetTask", { id }), headers)).json.result.status.state).toBe("TASK_STATE_WORKING");
    await cancel(id);
  });

  it("E22 a task that has ended has nothing to subscribe to, unless one goes on from an event", async () => {
    const live = await (await SseReader.open(actor, streamV1("stream"), headers)).rest();
    const id = live[0]?.data.result.task.id;
    expect((await rpc(actor, subscribe(id), headers)).json.error?.code).toBe(-32004);
    const last = live.at(-1)?.id as number;
    for (const { id: seen } of live) {
      const replayed = await (
        await SseReader.open(actor, subscribe(id), { ...headers, "last-event-id": String(seen) })
      ).rest();
      expect(replayed[0]?.id).toBe(seen);
      expect(replayed[0]?.data.result.task.id).toBe(id);
      // The task as it stood, then exactly what the first reader saw after it.
      expect(replayed.slice(1)).toEqual(live.filter((event) => (event.id as number) > (seen as number)));
    }
    const whole = (await rpc(actor, callV1("GetTask", { id }), headers)).json.result;
    const [only, ...none] = await (
      await SseReader.open(actor, subscribe(id), { ...headers, "last-event-id": String(last) })
    ).rest();
    expect(only?.data.result.task).toEqual(whole);
    expect(none).toEqual([]);
    expect(
      (await (await SseReader.open(actor, subscribe(id), { ...headers, "last-event-id": "0" })).rest())[0]?.id,
    ).toBe(1);
  });

  it("E22 a reader that was away misses nothing of a task that runs", async () => {
    const id = await sendAtOnce("hang");
    const first = await SseReader.open(actor, subscribe(id), headers);
    const seen = (await first.next())?.id as number;
    await first.cancel();
    await cancel(id);
    const rest = await (
      await SseReader.open(actor, subscribe(id), { ...headers, "last-event-id": String(seen) })
    ).rest();
    expect(rest.map(shortly).at(-1)).toBe("CANCELED");
    const numbers = rest.map((event) => event.id);
    const { events } = { events: await edge.ledger.forTenant("default").events(id, seen) };
    expect(numbers.slice(1)).toEqual(events.filter(({ type }) => type === "status").map(({ seq }) => seq));
  });

  it("E22 X7 of a task whose events have been compacted, Last-Event-ID gives the task as it stands, and the end", async () => {
    const { json } = await rpc(actor, sendV1("stream"), headers);
    const { id } = json.result.task;
    const { seq } = (await edge.ledger.forTenant("default").task(id)) as Task;
    await edge.ledger.system.retention.compact({ tenant: "default", taskId: id });
    for (const seen of ["0", "1", "3", String(seq - 1)]) {
      const stream = await SseReader.open(actor, subscribe(id), { ...headers, "last-event-id": seen });
      const events = await stream.rest();
      expect(events.map(shortly)).toEqual(["task COMPLETED"]);
      expect(events[0]?.id).toBe(seq);
      expect(events[0]?.data.result.task.artifacts).toEqual(json.result.task.artifacts);
    }
  });

  it.each(["-1", "x", "1.5", "99999999999999999999"])("E22 a Last-Event-ID of %s is refused", async (value) => {
    const id = await sendAtOnce("stream");
    const { json } = await rpc(actor, subscribe(id), { ...headers, "last-event-id": value });
    expect(json.error).toMatchObject({ code: -32602, data: [{ fieldViolations: [{ field: "Last-Event-ID" }] }, {}] });
  });

  it("E22 0.3 marks the last event, and no other", async () => {
    const asking = (await rpc(actor, sendV1("ask"), headers)).json.result.task;
    await rpc(actor, sendV1("blue", {}, { taskId: asking.id }), headers);
    const body = { jsonrpc: "2.0", id: "r", method: "tasks/resubscribe", params: { id: asking.id } };
    const legacy = { authorization: headers.authorization as string, "last-event-id": "1" };
    const events = await (await SseReader.open(actor, body, legacy)).rest();
    const states = events
      .slice(1)
      .flatMap(({ data: { result } }) =>
        result.kind === "status-update" ? [[result.status.state, result.final]] : [],
      );
    expect(states).toContainEqual(["input-required", false]);
    expect(states.filter(([, final]) => final)).toEqual([["completed", true]]);
  });

  it("E22 idle streams carry comments, from one timer for all", async () => {
    const beating = await startEdge({ http: { heartbeatMs: 10 } });
    try {
      const mine = { ...headers, authorization: (await beating.key("me")).authorization };
      const [one, two] = await Promise.all(
        ["hang", "hang"].map((text) => SseReader.open(beating.urlOf("actor"), streamV1(text), mine)),
      );
      const raw = await Promise.all([one, two].map((reader) => commentsOf(reader as SseReader, 3)));
      expect(raw).toEqual([true, true]);
    } finally {
      await beating.stop();
    }
  });

  it("E22 a reader that takes nothing holds back nobody", async () => {
    const chunk = "x".repeat(100_000);
    const steps = [...Array(20).fill({ chunk }), { reply: "end" }];
    const flooding = await startEdge({ personas: [scripted("flood", [{ steps }], { visibility: "public" })] });
    try {
      const mine = { ...headers, authorization: (await flooding.key("me")).authorization };
      const lazy = await lazyReader(flooding.urlOf("flood"), streamV1("go"), mine);
      const events = await (await SseReader.open(flooding.urlOf("flood"), streamV1("go"), mine)).rest();
      expect(shortly(events.at(-1) as SseEvent)).toBe("COMPLETED");
      lazy.destroy();
    } finally {
      await flooding.stop();
    }
  });
});

/** Whether so many comments come between events. */
async function commentsOf(reader: SseReader, count: number): Promise<boolean> {
  const reading = reader.rest();
  while (reader.comments < count) await new Promise((resolve) => setTimeout(resolve, 5));
  void reading.catch(() => {});
  return true;
}

/** A client that sends a request and never reads the answer. */
function lazyReader(url: string, body: object, headers: Record<string, string>): Promise<Socket> {
  const { hostname, port, pathname } = new URL(url);
  const text = JSON.stringify(body);
  const lines = Object.entries({ ...headers, "content-type": "application/json" }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(port), host: hostname }, () => {
      socket.pause();
      socket.write(
        [`POST ${pathname} HTTP/1.1`, `host: ${hostname}`, ...lines, `content-length: ${text.length}`, "", text].join(
          "\r\n",
        ),
      );
      resolve(socket);
    });
    socket.on("error", reject);
  });
}
