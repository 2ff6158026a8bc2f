import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { section, v03 } from "../table/case.js";
import { assembledText, firstTask, statesOf, textOf } from "../table/look.js";

export const sendStreamingMessage = section("3.1.2", "Send Streaming Message", "E8 E20 E22", (it) => {
  it("begins with the task, and closes when it has ended", { needs: ["script"] }, async (talk) => {
    const events = await (await talk.stream({ text: "steps" }).ok()).rest();
    const task = firstTask(events);
    assert.equal(events.filter(({ type }) => type === "task").length, 1);
    assert.equal(statesOf(events).at(-1), "completed");
    assert.equal(events.at(-1)?.type, "status", "the terminal state is the last event");
    for (const event of events.slice(1)) {
      assert.ok(event.type === "status" || event.type === "artifact", `${event.type} after the task`);
      assert.equal(event.taskId, task.id);
      assert.equal(event.contextId, task.contextId);
    }
  });

  it("events come in the order in which they were generated", { needs: ["script"] }, async (talk) => {
    const events = await (await talk.stream({ text: "steps" }).ok()).rest();
    const said = events.flatMap((event) => {
      if (event.type === "status" && event.said !== undefined) return event.said.parts.map(({ text }) => text);
      if (event.type === "artifact") return event.artifact.parts.map(({ text }) => text);
      return [];
    });
    const order = said.join("").match(/still thinking|thinking|one|two|three/g);
    assert.deepEqual(order, ["thinking", "one", "still thinking", "two", "three"]);
  });

  it("chunks come to the artifact that the task has in the end", { needs: ["script"] }, async (talk) => {
    const events = await (await talk.stream({ text: "steps" }).ok()).rest();
    const task = await talk.get({ id: firstTask(events).id }).task();
    assert.equal(textOf(task), "one two three");
    assert.equal(assembledText(events), "one two three");
    const chunks = events.filter((event) => event.type === "artifact");
    assert.equal(chunks.at(-1)?.lastChunk, true, "the last chunk says so");
    assert.ok(chunks.slice(0, -1).every(({ lastChunk }) => !lastChunk));
    assert.equal(chunks[0]?.append, false, "the first chunk appends to nothing");
  });

  it("each message of a status has an id of its own", { needs: ["script"] }, async (talk) => {
    const events = await (await talk.stream({ text: "steps" }).ok()).rest();
    const said = events.flatMap((event) => (event.type === "status" && event.said !== undefined ? [event.said] : []));
    assert.ok(said.length >= 2);
    assert.ok(said.every(({ role }) => role === "agent"));
    assert.equal(new Set(said.map(({ messageId }) => messageId)).size, said.length);
  });

  it("the first event does not wait for the work", { needs: ["script"] }, async (talk) => {
    const stream = await talk.stream({ text: "hang" }).ok();
    const first = await stream.next();
    const { id, state } = firstTask(first === undefined ? [] : [first]);
    assert.ok(["submitted", "working"].includes(state));
    stream.close();
    await talk.cancel({ id }).ok();
  });

  it("a message-only stream is one message and the end", { needs: ["script"] }, async (talk) => {
    const events = await (await talk.stream({ text: "bare words" }).ok()).rest();
    assert.deepEqual(
      events.map(({ type }) => type),
      ["message"],
    );
  });

  for (const [text, state] of [
    ["hello", "completed"],
    ["fail", "failed"],
    ["reject", "rejected"],
    ["ask", "input-required"],
    ["auth", "auth-required"],
  ] as const) {
    it(`closes when the task is ${state}`, { needs: ["script"] }, async (talk) => {
      const events = await (await talk.stream({ text }).ok()).rest();
      firstTask(events);
      assert.equal(statesOf(events).at(-1), state);
    });
  }

  it("closes when the task is canceled", { needs: ["script"] }, async (talk) => {
    const stream = await talk.stream({ text: "hang" }).ok();
    const first = await stream.next();
    const { id } = firstTask(first === undefined ? [] : [first]);
    await talk.cancel({ id }).task();
    assert.equal(statesOf(await stream.rest()).at(-1), "canceled");
  });

  it("0.3 says `final` once, on the last event", { on: v03, needs: ["script"] }, async (talk) => {
    for (const text of ["steps", "ask", "fail"]) {
      const events = await (await talk.stream({ text }).ok()).rest();
      const finals = events.map((event) => event.type === "status" && event.final === true);
      assert.deepEqual(
        finals.map((final, at) => final === (at === events.length - 1)),
        finals.map(() => true),
        `${text}: ${finals}`,
      );
    }
  });

  it("a follow-up is streamed from the task on", { needs: ["script"] }, async (talk) => {
    const { id, contextId } = await talk.run("ask");
    const events = await (await talk.stream({ text: "the red one", taskId: id }).ok()).rest();
    const task = firstTask(events);
    assert.equal(task.id, id);
    assert.equal(task.contextId, contextId);
    assert.equal(statesOf(events).at(-1), "completed");
    assert.equal(assembledText(events), "you said the red one");
  });

  it("blocking or not has no effect on a stream", { needs: ["script"] }, async (talk) => {
    for (const blocking of [true, false]) {
      const events = await (await talk.stream({ text: "steps", blocking }).ok()).rest();
      assert.equal(statesOf(events).at(-1), "completed");
    }
  });

  it("a reader that leaves changes nothing about the task", { needs: ["script"] }, async (talk) => {
    const stream = await talk.stream({ text: "slow" }).ok();
    const first = await stream.next();
    stream.close();
    const { id } = firstTask(first === undefined ? [] : [first]);
    assert.equal(textOf(await talk.until(id, "completed")), "half, done");
  });

  it("errors are answers, not streams: TaskNotFound", async (talk) => {
    await talk.stream({ text: "hello", taskId: randomUUID() }).refused("TASK_NOT_FOUND");
  });

  it("errors are answers, not streams: UnsupportedOperation for a task that has ended", async (talk) => {
    const { id } = await talk.run("hello");
    await talk.stream({ text: "more", taskId: id }).refused("UNSUPPORTED_OPERATION");
  });

  it("errors are answers, not streams: a message without parts", async (talk) => {
    await talk.stream({ text: "hello", without: ["message.parts"] }).refused("INVALID_PARAMS");
  });
});
