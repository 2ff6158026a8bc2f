import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { section } from "../table/case.js";
import { textOf } from "../table/look.js";

export const sendMessage = section("3.1.1", "Send Message", "E8 E9 E20", (it) => {
  it("a new message makes a task with an id and a context of the server's", async (talk) => {
    const messageId = randomUUID();
    const task = await talk.start("hello", { messageId });
    assert.notEqual(task.id, messageId);
    assert.ok(task.id.length > 0 && task.contextId.length > 0, "the task has an id and a context");
    const other = await talk.start("hello");
    assert.notEqual(other.id, task.id, "3.4.2: a unique id for each task");
  });

  it("the output stands in artifacts", { needs: ["script"] }, async (talk) => {
    const task = await talk.run("hello");
    assert.equal(task.state, "completed");
    assert.equal(textOf(task), "hello");
  });

  it("an agent may answer with a message, which is no task", { needs: ["script"] }, async (talk) => {
    const messageId = randomUUID();
    const message = await talk.send({ text: "bare words", messageId }).message();
    assert.equal(message.role, "agent");
    assert.notEqual(message.messageId, messageId);
    assert.deepEqual(message.parts, [{ text: "just bare words" }]);
    assert.ok(message.contextId, "3.4.1: the context that the agent made MUST be in the response");
    assert.equal(message.taskId, undefined);
  });

  it("the context of the client is in a bare message", { needs: ["script"] }, async (talk) => {
    const contextId = randomUUID();
    const message = await talk.send({ text: "bare words", contextId }).message();
    assert.equal(message.contextId, contextId);
  });

  it("the reason of a failure stands in the message of the status", { needs: ["script"] }, async (talk) => {
    const task = await talk.run("fail");
    assert.equal(task.state, "failed");
    assert.equal(task.said?.role, "agent");
    assert.deepEqual(task.said?.parts, [{ text: "it went wrong" }]);
    assert.equal(task.artifacts, undefined);
  });

  it("an agent may reject a task", { needs: ["script"] }, async (talk) => {
    const task = await talk.run("reject");
    assert.equal(task.state, "rejected");
    assert.deepEqual(task.said?.parts, [{ text: "not today" }]);
  });

  it("a task may end without artifacts", { needs: ["script"] }, async (talk) => {
    const task = await talk.run("mute");
    assert.equal(task.state, "completed");
    assert.equal(task.artifacts, undefined);
    assert.deepEqual(task.said?.parts, [{ text: "nothing to show" }]);
  });

  it("messages of a task name it and its context", { needs: ["script"] }, async (talk) => {
    const task = await talk.run("ask");
    for (const message of [task.said, ...(task.history ?? [])]) {
      assert.equal(message?.taskId, task.id);
      assert.equal(message?.contextId, task.contextId);
    }
  });

  it("a message to a task that is not there: TaskNotFound", async (talk) => {
    await talk.send({ text: "hello", taskId: randomUUID() }).refused("TASK_NOT_FOUND");
  });

  it("a message to somebody else's task: TaskNotFound", { needs: ["script", "another caller"] }, async (talk) => {
    const { id } = await talk.run("ask");
    const stranger = await talk.asStranger();
    await stranger.send({ text: "the red one", taskId: id }).refused("TASK_NOT_FOUND");
    assert.equal((await talk.get({ id }).task()).state, "input-required");
  });

  for (const [text, state] of [
    ["hello", "completed"],
    ["fail", "failed"],
    ["reject", "rejected"],
  ] as const) {
    it(`a task that is ${state} accepts no further message: UnsupportedOperation`, {
      needs: ["script"],
    }, async (talk) => {
      const { id, contextId, state: ended } = await talk.run(text);
      assert.equal(ended, state);
      await talk.send({ text: "more", taskId: id }).refused("UNSUPPORTED_OPERATION");
      await talk.send({ text: "more", taskId: id, contextId }).refused("UNSUPPORTED_OPERATION");
    });
  }

  it("nor does one that is canceled", { needs: ["script"] }, async (talk) => {
    const { id } = await talk.start("hang");
    await talk.cancel({ id }).task();
    await talk.send({ text: "more", taskId: id }).refused("UNSUPPORTED_OPERATION");
  });

  it("accepted output modes and metadata are taken", async (talk) => {
    const task = await talk.run("hello", {
      acceptedOutputModes: ["text/plain", "application/json"],
      metadata: { "https://example.com/trace": { id: 7, tags: ["a", null] } },
    });
    assert.equal(task.state, "completed");
  });
});
