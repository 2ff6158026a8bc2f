import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { applyEvent, emptyFold } from "./fold.js";
import type { Artifact } from "./message.js";
import { RecordBuffer } from "./record-buffer.js";
import type { TaskFact } from "./task-event.js";

const LEASE = { tenant: "default", taskId: "task", owner: "worker", fence: 1 };

const chunk = (text: string, over: { id?: string; append?: boolean; lastChunk?: boolean } = {}): TaskFact => {
  const { id = "a", append = true, lastChunk = false } = over;
  return { type: "artifact", artifact: { artifactId: id, parts: [{ text }] }, append, lastChunk };
};
const status: TaskFact = { type: "status", state: "processing" };
const textsOf = (facts: readonly TaskFact[]) =>
  facts.map((fact) =>
    fact.type === "artifact"
      ? fact.artifact.parts.map((part) => ("text" in part ? part.text : "?")).join("|")
      : fact.type,
  );

describe("the buffer of an attempt", () => {
  let now: number;
  let buffer: RecordBuffer;
  beforeEach(() => {
    now = 1000;
    const earlier = [{ step: 1, turn: 1, kind: "model", key: "1", data: {}, at: 5 }];
    buffer = new RecordBuffer(LEASE, earlier, 2, { now: () => now });
  });

  it("has work until the attempt is recorded as started, and the first record says so", () => {
    expect(buffer.hasWork).toBe(true);
    expect(buffer.take()).toEqual({
      lease: LEASE,
      now,
      start: true,
      facts: [],
      steps: [],
      inputTokens: 0,
      outputTokens: 0,
    });
    expect(buffer.hasWork).toBe(false);
    expect(buffer.take().start).toBe(false);
  });

  it("joins neighboring pieces of text of one artifact", () => {
    for (const text of ["Once ", "upon ", "a time"]) buffer.add(chunk(text));
    expect(buffer.characters).toBe(16);
    expect(textsOf(buffer.take().facts)).toEqual(["Once upon a time"]);
    expect(buffer.characters).toBe(0);
  });

  it("joins nothing over another fact, another artifact, a last chunk, or a replacement", () => {
    const facts = [
      chunk("a"),
      status,
      chunk("b"),
      chunk("c", { id: "other" }),
      chunk("d", { lastChunk: true }),
      chunk("e"),
      chunk("f", { append: false }),
      chunk("g"),
    ];
    for (const fact of facts) buffer.add(fact);
    expect(textsOf(buffer.take().facts)).toEqual(["a", "status", "b", "c", "d", "e", "fg"]);
  });

  it("whatever it joins, readers see what was said", () => {
    const text = fc.record(
      { text: fc.string({ maxLength: 3 }), mediaType: fc.constant("text/plain") },
      { requiredKeys: ["text"] },
    );
    const part = fc.oneof(text, fc.record({ data: fc.integer() }));
    const fact = fc.record({
      type: fc.constant("artifact" as const),
      artifact: fc.record({ artifactId: fc.constantFrom("a", "b"), parts: fc.array(part, { maxLength: 2 }) }),
      append: fc.boolean(),
      lastChunk: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(fc.oneof(fact, fc.constant(status)), { maxLength: 30 }), (facts) => {
        const fresh = new RecordBuffer(LEASE, [], 1, { now: () => 0 });
        for (const each of facts as TaskFact[]) fresh.add(structuredClone(each));
        expect(artifactsOf(fresh.take().facts)).toEqual(artifactsOf(facts as TaskFact[]));
      }),
    );
  });

  it("X1 numbers steps on from those of earlier attempts, with the turn and the time", () => {
    const noted = buffer.note({ kind: "tool_call", key: "call-1", data: { name: "persona_send" } });
    expect(noted).toEqual({
      step: 2,
      turn: 2,
      kind: "tool_call",
      key: "call-1",
      data: { name: "persona_send" },
      at: 1000,
    });
    expect(buffer.steps.map(({ step }) => step)).toEqual([1, 2]);
    expect(buffer.take().steps).toEqual([noted]);
    expect(buffer.take().steps).toEqual([]);
    expect(buffer.note({ kind: "tool_result", key: "call-1", data: {} }).step).toBe(3);
  });

  it("X1 adds how far the run is to whichever record comes first, once, unless that ends the task", () => {
    const reached = (done: number) => ({ kind: "script", key: "0", data: { done } });
    buffer.noteUnlessOver(reached(1));
    buffer.noteUnlessOver(reached(2));
    expect(buffer.take().steps).toMatchObject([{ ...reached(2), step: 2 }]);
    expect(buffer.take().steps).toEqual([]);
    buffer.noteUnlessOver(reached(3));
    expect(buffer.take(true).steps).toEqual([]);
    expect(buffer.take().steps).toEqual([]);
  });

  it("finds the last step of this turn, and none of earlier turns", () => {
    buffer.note({ kind: "model", key: "2", data: "first" });
    buffer.note({ kind: "model", key: "2", data: "second" });
    expect(buffer.find("model", "2")?.data).toBe("second");
    expect(buffer.find("model", "1")).toBeUndefined();
    expect(buffer.find("tool_call", "2")).toBeUndefined();
  });

  it("counts tokens until they are recorded", () => {
    buffer.take();
    buffer.countTokens(10, 1);
    buffer.countTokens(20, 2);
    expect(buffer.hasWork).toBe(true);
    expect(buffer.take()).toMatchObject({ inputTokens: 30, outputTokens: 3 });
    expect(buffer.hasWork).toBe(false);
  });

  it("takes a record back into its old place, before what has come since", () => {
    buffer.add(chunk("a"));
    buffer.countTokens(1, 1);
    const step = buffer.note({ kind: "model", key: "1", data: {} });
    const record = buffer.take();
    buffer.add(chunk("b", { id: "other" }));
    buffer.countTokens(2, 2);
    const later = buffer.note({ kind: "model", key: "2", data: {} });
    buffer.putBack(record);
    expect(buffer.characters).toBe(2);
    const again = buffer.take();
    expect(again).toMatchObject({ start: true, steps: [step, later], inputTokens: 3, outputTokens: 3 });
    expect(textsOf(again.facts)).toEqual(["a", "b"]);
  });
});

function artifactsOf(facts: readonly TaskFact[]): Artifact[] {
  const folded = emptyFold();
  facts.forEach((fact, index) => {
    applyEvent(folded, { ...fact, seq: index + 1, at: 0 });
  });
  return folded.artifacts;
}
