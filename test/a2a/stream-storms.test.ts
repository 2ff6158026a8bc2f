import { connect } from "node:net";
import { setTimeout as passed } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callV1, type Edge, rpc, type SseEvent, SseReader, scripted, sendV1, startEdge } from "../support/a2a-edge.js";

const CHUNKS = ["one ", "two ", "three ", "four ", "five "];

/** Takes about 50 ms, and says something all the time. */
const talker = scripted(
  "talker",
  [{ steps: [...CHUNKS.flatMap((chunk) => [{ chunk }, { sleep: 10 }]), { reply: "six" }] }],
  { visibility: "public", maxConcurrent: 100 },
);
const WHOLE = [...CHUNKS, "six"].join("");

/** What a reader makes of the artifact, from the task that the stream began with and the chunks after it. */
function textOf(events: readonly SseEvent[]): string {
  let text = "";
  for (const { data } of events) {
    const { task, artifactUpdate } = data.result;
    const parts = (artifact: { parts: { text: string }[] }) => artifact.parts.map((part) => part.text).join("");
    if (task !== undefined) text = (task.artifacts ?? []).map(parts).join("");
    else if (artifactUpdate !== undefined)
      text = (artifactUpdate.append === true ? text : "") + parts(artifactUpdate.artifact);
  }
  return text;
}

const stateOf = ({ data }: SseEvent): string => (data.result.task ?? data.result.statusUpdate)?.status.state;

describe("streams under fire", () => {
  let edge: Edge;
  let headers: Record<string, string>;
  let url: string;

  beforeAll(async () => {
    edge = await startEdge({ personas: [talker] });
    headers = { authorization: (await edge.key("me")).authorization, "a2a-version": "1.0" };
    url = edge.urlOf("talker");
  });
  afterAll(async () => {
    expect(edge.faults).toEqual([]);
    await edge.stop();
  });

  const begin = async (): Promise<string> =>
    (await rpc(url, sendV1("talk", { configuration: { returnImmediately: true } }), headers)).json.result.task.id;

  it("E22 200 times, at any moment of a task of 50 ms: a subscription has all of it and ends, or is told that it is over", async () => {
    const seen = { streamed: 0, over: 0 };
    const once = async (number: number): Promise<void> => {
      const id = await begin();
      await passed((number * 7) % 75);
      const reader = await SseReader.open(url, callV1("SubscribeToTask", { id }), headers);
      if (reader.response.headers.get("content-type")?.includes("event-stream") !== true) {
        seen.over += 1;
        await reader.cancel();
        const { json } = await rpc(url, callV1("GetTask", { id }), headers);
        expect(json.result.status.state).toBe("TASK_STATE_COMPLETED");
        return;
      }
      seen.streamed += 1;
      const events = await reader.rest();
      expect(events[0]?.data.result.task?.id).toBe(id);
      expect(stateOf(events.at(-1) as SseEvent)).toBe("TASK_STATE_COMPLETED");
      expect(textOf(events)).toBe(WHOLE);
      const numbers = events.map((event) => event.id as number);
      expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    };
    for (let from = 0; from < 200; from += 20) {
      await Promise.all(Array.from({ length: 20 }, (_, at) => once(from + at)));
    }
    expect(seen.streamed + seen.over).toBe(200);
    expect(seen.streamed).toBeGreaterThan(0);
    expect(edge.followers.size).toBe(0);
  });

  it("E22 whoever is cut off again and again and goes on from the last event has the same text, byte by byte", async () => {
    const once = async (number: number): Promise<void> => {
      const id = await begin();
      const kept: SseEvent[] = [];
      for (let tries = 0; tries < 50 && stateOf(kept.at(-1) ?? NOTHING) !== "TASK_STATE_COMPLETED"; tries++) {
        const last = kept.at(-1)?.id ?? 0;
        const reader = await SseReader.open(url, callV1("SubscribeToTask", { id }), {
          ...headers,
          "last-event-id": String(last),
        });
        const first = (await reader.next()) as SseEvent;
        expect(first.data.result.task.id).toBe(id);
        // The task as it stood at that event: what the reader has of it already.
        if (kept.length > 0) expect(textOf([first])).toBe(textOf(kept));
        else kept.push(first);
        for (let taken = 0; taken <= number % 3; taken++) {
          const event = await reader.next();
          if (event === undefined) break;
          kept.push(event);
        }
        await reader.cancel();
      }
      expect(stateOf(kept.at(-1) as SseEvent)).toBe("TASK_STATE_COMPLETED");
      expect(textOf(kept)).toBe(WHOLE);
      const numbers = kept.map((event) => event.id as number);
      expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    };
    await Promise.all(Array.from({ length: 30 }, (_, at) => once(at)));
  });

  it("E22 1,000 connections that are cut at any moment leave nobody listening, and every task ends", async () => {
    const { hostname, port } = new URL(url);
    const cut = (number: number) =>
      new Promise<void>((resolve) => {
        const socket = connect(Number(port), hostname, async () => {
          const body = JSON.stringify({ ...sendV1("talk"), method: "SendStreamingMessage" });
          const head = [
            `POST ${new URL(url).pathname} HTTP/1.1`,
            "Host: x",
            "Content-Type: application/json",
            "A2A-Version: 1.0",
            `Authorization: ${headers.authorization}`,
            `Content-Length: ${body.length}`,
          ].join("\r\n");
          const request = `${head}\r\n\r\n${body}`;
          // Within the request, before the answer, or somewhere in the stream.
          socket.write(number % 4 === 0 ? request.slice(0, (number * 13) % request.length) : request);
          await passed(number % 25);
          if (number % 2 === 0) socket.resetAndDestroy();
          else socket.destroy();
        });
        socket.on("error", () => {});
        socket.on("close", () => resolve());
        socket.resume();
      });
    for (let from = 0; from < 1000; from += 100) {
      await Promise.all(Array.from({ length: 100 }, (_, at) => cut(from + at)));
    }
    await until(() => edge.followers.size === 0);
    await until(async () => {
      const counts = await edge.ledger.system.counts();
      return counts.pending + counts.processing + counts.waiting === 0;
    });
    expect(edge.followers.size).toBe(0);
    expect(edge.edge.calls.size).toBe(0);
  });
});

const NOTHING: SseEvent = { data: { result: {} } };

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 30_000;
  while (!(await isTrue())) {
    if (Date.now() > end) throw new Error("waited for too long");
    await new Promise((resolve) => setImmediate(resolve));
  }
}
