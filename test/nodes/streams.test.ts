import { expect, it } from "vitest";
import { callV1, type SseEvent, SseReader, sendV1 } from "../support/a2a-edge.js";
import type { TestDaemon } from "../support/daemon/start-daemon.js";
import { occupyA, startPair, worker } from "../support/nodes/pair.js";

const HEADERS = { "a2a-version": "1.0" };
const url = (node: TestDaemon) => `${node.url}/v1/agents/worker/a2a`;
const streamed = (node: TestDaemon, text: string) =>
  SseReader.open(url(node), { ...sendV1(text), method: "SendStreamingMessage" }, HEADERS);
const subscribed = (node: TestDaemon, id: string, lastEventId?: number) =>
  SseReader.open(url(node), callV1("SubscribeToTask", { id }), {
    ...HEADERS,
    ...(lastEventId !== undefined && { "last-event-id": String(lastEventId) }),
  });

const chunks = ["one ", "two ", "three "].map((chunk) => ({ chunk }));

/** B gets stuck after its chunks: the task ends when A takes it over, and goes on where B was. */
const pair = () =>
  startPair((node) => ({
    personas: [
      worker(node, {
        a: [...chunks, { status: "a has said three" }, { reply: "by a" }],
        b: [...chunks, { status: "b is stuck" }, { hang: true }],
      }),
    ],
  }));

const taskId = ({ data }: SseEvent): string => data.result.task.id;
const saidOf = ({ data }: SseEvent): string | undefined => data.result.statusUpdate?.status.message?.parts[0]?.text;
const stateOf = ({ data }: SseEvent): string | undefined => data.result.statusUpdate?.status.state;

/** The events up to and with the one that says this. */
async function readUntilSaid(stream: SseReader, text: string): Promise<SseEvent[]> {
  const events: SseEvent[] = [];
  for (;;) {
    const event = await stream.next();
    if (event === undefined) throw new Error(`the stream has ended without ${text}: ${JSON.stringify(events)}`);
    events.push(event);
    if (saidOf(event) === text) return events;
  }
}

/** The text of the artifact as a reader has it who does what each update says. */
function readText(events: readonly SseEvent[], before = ""): string {
  let text = before;
  for (const { data } of events) {
    const update = data.result.artifactUpdate;
    if (update === undefined) continue;
    const piece = update.artifact.parts.map((part: { text: string }) => part.text).join("");
    text = update.append === true ? text + piece : piece;
  }
  return text;
}

it("E22 X4 a stream on A of a task that runs on B has every event in order, also when B is killed and A takes over", async () => {
  const { a, b } = await pair();
  const free = await occupyA(a);
  const stream = await streamed(a, "go");
  const events = await readUntilSaid(stream, "b is stuck");
  const id = taskId(events[0] as SseEvent);
  expect(readText(events)).toBe("one two three ");
  await free();
  await b.kill("SIGKILL");
  events.push(...(await stream.rest()));

  expect(stateOf(events.at(-1) as SseEvent)).toBe("TASK_STATE_COMPLETED");
  expect(readText(events)).toBe("one two three by a");
  const ids = events.map((event) => event.id as number);
  expect(ids).toEqual([...new Set(ids)].sort((x, y) => x - y));
  // What was seen live is what the ledger has: nothing was lost, doubled or told otherwise on the way.
  const replayed = await (await subscribed(a, id, events[0]?.id)).rest();
  expect(events.slice(1)).toEqual(replayed.slice(1));
  await b.restart();
  expect(await (await subscribed(b, id, events[0]?.id)).rest()).toEqual(replayed);
});

it("E22 X4 a client whose node is killed goes on at the other one from the last event that it saw", async () => {
  const { a, b } = await pair();
  const free = await occupyA(a);
  const first = await streamed(b, "go");
  const events = await readUntilSaid(first, "b is stuck");
  const id = taskId(events[0] as SseEvent);
  await b.kill("SIGKILL");
  await expect(first.rest()).rejects.toThrow();

  const last = events.at(-1)?.id as number;
  const second = await subscribed(a, id, last);
  const head = (await second.next()) as SseEvent;
  expect(head.id).toBe(last);
  expect(head.data.result.task).toMatchObject({ id, status: { state: "TASK_STATE_WORKING" } });
  await free();
  events.push(...(await second.rest()));
  expect(stateOf(events.at(-1) as SseEvent)).toBe("TASK_STATE_COMPLETED");
  expect(readText(events)).toBe("one two three by a");
  const replayed = await (await subscribed(a, id, events[0]?.id)).rest();
  expect(events.slice(1)).toEqual(replayed.slice(1));
});

it("E22 X4 a client that does not know what it saw subscribes at the other node, and has the task as it stands and the rest", async () => {
  const { a, b } = await pair();
  const free = await occupyA(a);
  const first = await streamed(b, "go");
  const [head] = await readUntilSaid(first, "b is stuck");
  const id = taskId(head as SseEvent);
  const second = await subscribed(a, id);
  const task = (await second.next())?.data.result.task;
  expect(task.artifacts[0].parts.map((part: { text: string }) => part.text).join("")).toBe("one two three ");
  await b.kill("SIGKILL");
  await free();
  const rest = await second.rest();
  expect(stateOf(rest.at(-1) as SseEvent)).toBe("TASK_STATE_COMPLETED");
  expect(readText(rest, "one two three ")).toBe("one two three by a");
});

it("E22 X4 several subscribers on both nodes get the same events in the same order", async () => {
  const { a, b } = await startPair((node) => ({
    personas: [
      worker(node, { a: [{ reply: "by a" }], b: [{ status: "begun" }, { sleep: 100 }, ...chunks, { reply: "by b" }] }),
    ],
  }));
  await occupyA(a);
  const first = await streamed(a, "go");
  const head = (await first.next()) as SseEvent;
  const others = await Promise.all([a, b, a, b].map((node) => subscribed(node, taskId(head), head.id)));
  const seen = await Promise.all([first, ...others].map((stream) => stream.rest()));
  const events = seen[0] as SseEvent[];
  expect(stateOf(events.at(-1) as SseEvent)).toBe("TASK_STATE_COMPLETED");
  expect(readText(events)).toBe("one two three by b");
  for (const [, ...same] of seen.slice(1)) expect(same).toEqual(events);
});
