import { describe, expect, it } from "vitest";
import { applyEvent, emptyFold, snapshotOf } from "../../tasks/fold.js";
import type { Message } from "../../tasks/message.js";
import type { Task, TaskSnapshot } from "../../tasks/task.js";
import type { TaskEvent, TaskFact } from "../../tasks/task-event.js";
import { stateV1 } from "../protocol/states.js";
import { Updates } from "./updates.js";

const row = { id: "t", contextId: "c" } as Task;
const message: Message = { messageId: "m", role: "agent", parts: [{ text: "…" }] };
const chunk = { artifactId: "a", parts: [{ text: "x" }] };

const numbered = (facts: TaskFact[], from = 1): TaskEvent[] =>
  facts.map((fact, at) => ({ ...fact, seq: from + at, at: 0 }) as TaskEvent);

function snapshotAfter(facts: TaskFact[]): TaskSnapshot {
  const folded = emptyFold();
  for (const event of numbered(facts)) applyEvent(folded, event);
  return snapshotOf(row, folded);
}

const asked = { type: "message", message: { messageId: "m0", role: "user", parts: [] } } as unknown as TaskFact;

/** What a caller is told of `facts` after it has seen a task that was just submitted. */
const told = (...facts: TaskFact[]) =>
  new Updates(snapshotAfter([asked])).of(numbered(facts, 2)).map(({ event, facts: now, final }) => ({
    seq: event.seq,
    what: event.type === "artifact" ? "artifact" : stateV1(now).replace("TASK_STATE_", ""),
    final,
  }));

describe("updates of a task", () => {
  it("E22 tell states and artifacts in order, and which one is the last", () => {
    expect(
      told(
        { type: "status", state: "processing" },
        { type: "artifact", artifact: chunk, append: false, lastChunk: true },
        { type: "status", state: "completed" },
      ),
    ).toEqual([
      { seq: 2, what: "WORKING", final: false },
      { seq: 3, what: "artifact", final: false },
      { seq: 4, what: "COMPLETED", final: true },
    ]);
  });

  it("pass over what changes nothing that the caller could see", () => {
    expect(
      told(
        { type: "status", state: "processing" },
        { type: "status", state: "pending" },
        { type: "status", state: "processing" },
        { type: "status", state: "waiting", waitingFor: "reply" },
        { type: "status", state: "pending", message },
        asked,
      ),
    ).toEqual([
      { seq: 2, what: "WORKING", final: false },
      { seq: 6, what: "WORKING", final: false },
    ]);
  });

  it("a task that is pending again after it ran is still working for its caller", () => {
    const seen = snapshotAfter([asked, { type: "status", state: "processing" }, { type: "status", state: "pending" }]);
    expect(stateV1(seen)).toBe("TASK_STATE_WORKING");
    expect(new Updates(seen).of(numbered([{ type: "status", state: "processing" }], 4))).toEqual([]);
  });

  it("E21 a question that has been answered meanwhile is not the last", () => {
    expect(
      told(
        { type: "status", state: "processing" },
        { type: "status", state: "waiting", waitingFor: "input", message },
        asked,
        { type: "status", state: "processing" },
        { type: "status", state: "waiting", waitingFor: "auth", message },
      ),
    ).toEqual([
      { seq: 2, what: "WORKING", final: false },
      { seq: 3, what: "INPUT_REQUIRED", final: false },
      { seq: 5, what: "WORKING", final: false },
      { seq: 6, what: "AUTH_REQUIRED", final: true },
    ]);
  });
});
