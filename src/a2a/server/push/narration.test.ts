import { describe, expect, it } from "vitest";
import { applyEvent, emptyFold, snapshotOf } from "../../../tasks/fold.js";
import type { Message } from "../../../tasks/message.js";
import type { Task, TaskSnapshot } from "../../../tasks/task.js";
import type { TaskEvent, TaskFact } from "../../../tasks/task-event.js";
import type { ProtocolVersion } from "../../protocol/version.js";
import { Narration } from "./narration.js";

const says = (text: string): Message => ({ messageId: "m", role: "agent", parts: [{ text }] });
const FACTS: TaskFact[] = [
  { type: "message", message: { messageId: "m0", role: "user", parts: [{ text: "go" }] } },
  { type: "status", state: "processing" },
  { type: "artifact", artifact: { artifactId: "a", parts: [{ text: "x" }] }, append: false, lastChunk: true },
  { type: "status", state: "pending" },
  { type: "status", state: "processing" },
  { type: "status", state: "completed", message: says("done") },
];
const EVENTS = FACTS.map((fact, at): TaskEvent => ({ ...fact, seq: at + 1, at: 0 }));

function taskAt(seq: number): TaskSnapshot {
  const folded = emptyFold();
  for (const event of EVENTS.slice(0, seq)) applyEvent(folded, event);
  return snapshotOf({ id: "t", contextId: "c" } as Task, folded);
}

/** Everything that is told of what follows on event 1, read so many events at a time. */
async function told(version: ProtocolVersion, bare: boolean, atOnce: number) {
  const narration = new Narration(version, bare, taskAt(1));
  const notifications: { seq: number; body: string }[] = [];
  for (let from = 1; from < EVENTS.length; from += atOnce) {
    for (const news of narration.read(EVENTS.slice(from, from + atOnce))) {
      const notification = await narration.write(news, async (seq) => taskAt(seq));
      if (notification !== null) notifications.push(notification);
    }
  }
  expect(narration.seq).toBe(EVENTS.length);
  return notifications.map(({ seq, body }) => ({ seq, body: JSON.parse(body) }));
}

describe("what a receiver is told", () => {
  it.each([1, 2, 8])("E23 of 1.0 is each visible event once, read %i at a time", async (atOnce) => {
    const bodies = await told("1.0", false, atOnce);
    expect(bodies.map(({ seq, body }) => [seq, Object.keys(body)[0]])).toEqual([
      [2, "statusUpdate"],
      [3, "artifactUpdate"],
      [6, "statusUpdate"],
    ]);
  });

  it.each([1, 8])(
    "E23 of 0.3 is the task as it stood at each change of its status, read %i at a time",
    async (atOnce) => {
      const bodies = await told("0.3", false, atOnce);
      expect(bodies.map(({ seq, body }) => [seq, body.kind, body.status.state, body.artifacts?.length])).toEqual([
        [2, "task", "working", undefined],
        [6, "task", "completed", 1],
      ]);
    },
  );

  it("E23 in place of a task is its Message, once", async () => {
    const [message, ...more] = await told("1.0", true, 3);
    expect(message).toMatchObject({ seq: 6, body: { message: { parts: [{ text: "done" }] } } });
    expect(more).toEqual([]);
    expect(await told("0.3", true, 3)).toMatchObject([{ seq: 6, body: { kind: "message" } }]);
  });

  it("E23 is the task as it stands where it cannot be told how it stood, and nothing twice after that", async () => {
    const narration = new Narration("0.3", false, taskAt(1));
    const [news] = narration.read(EVENTS.slice(1, 2));
    const notification = news && (await narration.write(news, async () => taskAt(6)));
    expect(notification?.seq).toBe(6);
    expect(narration.seq).toBe(6);
    expect(await narration.write({ seq: 6, update: null }, async () => null)).toBeNull();
  });
});
