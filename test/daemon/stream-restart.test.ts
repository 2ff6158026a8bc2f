import { expect, it } from "vitest";
import { callV1, type SseEvent, SseReader, sendV1 } from "../support/a2a-edge.js";
import { startDaemon } from "../support/daemon/start-daemon.js";

const HEADERS = { "a2a-version": "1.0" };

/** Its first attempt gets stuck after three chunks; the next one goes on. */
const talker = {
  name: "talker",
  visibility: "public",
  runtime: "scripted",
  script: [
    {
      steps: [
        { chunk: "one " },
        { chunk: "zwei ü😀 " },
        { chunk: "three " },
        { status: "said three in attempt {{attempt}}" },
        { send: { to: "gate", message: "{{attempt}}", await: true } },
        { reply: "end" },
      ],
    },
  ],
  capabilities: { allow: ["persona.send:*"] },
};

/** Hangs for the first attempt of its caller, and opens for the next. */
const gate = {
  name: "gate",
  runtime: "scripted",
  script: [{ steps: [{ fail: { text: "not yet", retryable: true, attempts: 1 } }, { reply: "open" }] }],
};

const textIn = (artifact: { parts: { text: string }[] }): string => artifact.parts.map(({ text }) => text).join("");

/** What a reader has of the artifact after these events. */
function read(events: readonly SseEvent[], before: string): string {
  let text = before;
  for (const { data } of events) {
    const { task, artifactUpdate } = data.result;
    if (task !== undefined) text = (task.artifacts ?? []).map(textIn).join("");
    if (artifactUpdate !== undefined)
      text = artifactUpdate.append === true ? text + textIn(artifactUpdate.artifact) : textIn(artifactUpdate.artifact);
  }
  return text;
}

it("E22 a daemon that is killed in the middle of a stream: who goes on from the last event has every byte, once", async () => {
  const daemon = await startDaemon({ queue: { backoffBaseMs: 400, backoffMaxMs: 400 }, personas: [talker, gate] });
  const url = () => `${daemon.url}/v1/agents/talker/a2a`;
  const stream = await SseReader.open(url(), { ...sendV1("go"), method: "SendStreamingMessage" }, HEADERS);
  const seen: SseEvent[] = [];
  while (seen.at(-1)?.data.result.statusUpdate?.status.message === undefined) {
    seen.push((await stream.next()) as SseEvent);
  }
  const id = seen[0]?.data.result.task.id as string;
  expect(read(seen, "")).toBe("one zwei ü😀 three ");

  await daemon.kill("SIGKILL");
  await expect(stream.rest()).rejects.toThrow();
  await daemon.restart();

  const last = seen.at(-1)?.id as number;
  const resumed = await SseReader.open(url(), callV1("SubscribeToTask", { id }), {
    ...HEADERS,
    "last-event-id": String(last),
  });
  const rest = await resumed.rest();
  expect(rest[0]?.id).toBe(last);
  expect(read(rest.slice(0, 1), "")).toBe("one zwei ü😀 three ");
  expect(read(rest, "")).toBe("one zwei ü😀 three end");
  expect(rest.at(-1)?.data.result.statusUpdate.status.state).toBe("TASK_STATE_COMPLETED");
  const numbers = [...seen, ...rest.slice(1)].map((event) => event.id as number);
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));

  const again = await SseReader.open(url(), callV1("SubscribeToTask", { id }), { ...HEADERS, "last-event-id": "1" });
  expect(read(await again.rest(), "")).toBe("one zwei ü😀 three end");
});
