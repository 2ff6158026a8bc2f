import { describe, expect, it } from "vitest";
import { applyEvent, emptyFold, type Folded } from "./fold.js";
import type { Artifact, Message } from "./message.js";
import type { TaskEvent, TaskFact } from "./task-event.js";

const fold = (...facts: TaskFact[]): Folded => {
  const folded = emptyFold();
  for (const event of numbered(facts)) applyEvent(folded, event);
  return folded;
};

const numbered = (facts: readonly TaskFact[]): TaskEvent[] =>
  facts.map((fact, index) => ({ ...fact, seq: index + 1, at: 1000 + index }));

const says = (text: string, role: Message["role"] = "user"): Message => ({ messageId: text, role, parts: [{ text }] });

const piece = (text: string, over: Partial<Artifact> & { append?: boolean } = {}): TaskFact => {
  const { append = true, ...artifact } = over;
  return { type: "artifact", artifact: { artifactId: "a", parts: [{ text }], ...artifact }, append, lastChunk: false };
};

describe("what events build up", () => {
  it("begins with the message that the task works on", () => {
    expect(fold({ type: "message", message: says("write") })).toEqual({
      ...emptyFold(),
      seq: 1,
      updatedAt: 1000,
      statusAt: 1000,
      history: [says("write")],
      work: says("write"),
    });
  });

  it("has the last status, and the messages of earlier ones in its history", () => {
    const folded = fold(
      { type: "message", message: says("write") },
      { type: "status", state: "processing" },
      { type: "status", state: "processing", message: says("thinking", "agent") },
      { type: "status", state: "waiting", waitingFor: "input", message: says("which?", "agent") },
    );
    expect(folded).toMatchObject({ state: "waiting", waitingFor: "input", started: true, statusAt: 1003 });
    expect(folded.statusMessage).toEqual(says("which?", "agent"));
    expect(folded.history.map(({ messageId }) => messageId)).toEqual(["write", "thinking"]);
  });

  it("puts a question before its answer, which is what the task works on next", () => {
    const folded = fold(
      { type: "message", message: says("write") },
      { type: "status", state: "waiting", waitingFor: "input", message: says("which?", "agent") },
      { type: "message", message: says("that one") },
      { type: "status", state: "pending" },
    );
    expect(folded.history.map(({ messageId }) => messageId)).toEqual(["write", "which?", "that one"]);
    expect(folded).toMatchObject({ state: "pending", waitingFor: null, statusMessage: null, work: says("that one") });
  });

  it("D18 does not work on an answer that was passed on to a descendant", () => {
    const folded = fold(
      { type: "message", message: says("write") },
      { type: "status", state: "waiting", waitingFor: "input", childId: "child", message: says("which?", "agent") },
      { type: "message", message: says("that one"), forwardedTo: "child" },
      { type: "status", state: "waiting", waitingFor: "reply" },
    );
    expect(folded.work).toEqual(says("write"));
    expect(folded.history).toHaveLength(3);
    expect(folded.askingChildId).toBeNull();
  });

  it("once started, is started: also when it is pending again", () => {
    expect(fold({ type: "status", state: "processing" }, { type: "status", state: "pending" }).started).toBe(true);
  });

  it("grows one text part from pieces of text", () => {
    const { artifacts } = fold(piece("Once ", { name: "tale" }), piece("upon "), piece("a time"));
    expect(artifacts).toEqual([{ artifactId: "a", name: "tale", parts: [{ text: "Once upon a time" }] }]);
  });

  it("keeps parts apart that say more than their text", () => {
    const { artifacts } = fold(
      piece("a"),
      {
        type: "artifact",
        artifact: { artifactId: "a", parts: [{ text: "b", mediaType: "text/html" }] },
        append: true,
        lastChunk: false,
      },
      {
        type: "artifact",
        artifact: { artifactId: "a", parts: [{ data: { n: 1 } }, { text: "c" }] },
        append: true,
        lastChunk: true,
      },
      piece("d"),
    );
    expect(artifacts[0]?.parts).toEqual([
      { text: "a" },
      { text: "b", mediaType: "text/html" },
      { data: { n: 1 } },
      { text: "cd" },
    ]);
  });

  it("starts an artifact anew in its old place when a piece does not append", () => {
    const { artifacts } = fold(piece("lost"), piece("other", { artifactId: "b" }), piece("whole", { append: false }));
    expect(artifacts.map(({ artifactId, parts }) => [artifactId, parts])).toEqual([
      ["a", [{ text: "whole" }]],
      ["b", [{ text: "other" }]],
    ]);
  });

  it("takes nothing from the events that it was built from", () => {
    const events = numbered([piece("a"), piece("b")]);
    const before = structuredClone(events);
    const folded = emptyFold();
    for (const event of events) applyEvent(folded, event);
    expect(events).toEqual(before);
  });

  it("invariant 3 knows an event that it has seen by its number, and refuses a gap", () => {
    const [one, two, three] = numbered([{ type: "message", message: says("write") }, piece("a"), piece("b")]) as [
      TaskEvent,
      TaskEvent,
      TaskEvent,
    ];
    const folded = emptyFold();
    for (const event of [one, two, two, one]) applyEvent(folded, event);
    expect(folded).toMatchObject({ seq: 2, artifacts: [{ parts: [{ text: "a" }] }] });
    expect(() => applyEvent(folded, { ...three, seq: 4 })).toThrow("event 4 after 2: a gap");
    expect(folded.seq).toBe(2);
  });
});
