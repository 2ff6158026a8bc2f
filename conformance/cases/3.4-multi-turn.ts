import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { not, proto03, section } from "../table/case.js";
import { textOf, textsOf } from "../table/look.js";

export const multiTurn = section("3.4", "Multi-Turn Interactions", "E21", (it) => {
  it("a context of the client's is accepted and preserved", async (talk) => {
    const contextId = `mine-${randomUUID()}`;
    const task = await talk.run("hello", { contextId });
    assert.equal(task.contextId, contextId);
    assert.equal((await talk.get({ id: task.id }).task()).contextId, contextId);
  });

  it("a context without a task starts a new task in it", async (talk) => {
    const first = await talk.run("hello");
    const second = await talk.run("hello", { contextId: first.contextId });
    assert.notEqual(second.id, first.id);
    assert.equal(second.contextId, first.contextId);
  });

  it("messages without a context get one each", async (talk) => {
    const [one, two] = [await talk.run("hello"), await talk.run("hello")];
    assert.notEqual(one.contextId, two.contextId);
  });

  it("a task without its context: the context is inferred", { needs: ["script"] }, async (talk) => {
    const { id, contextId } = await talk.run("ask");
    const done = await talk.run("the red one", { taskId: id });
    assert.equal(done.id, id);
    assert.equal(done.contextId, contextId);
    assert.equal(textOf(done), "you said the red one");
  });

  it("a task with its context continues", { needs: ["script"] }, async (talk) => {
    const { id, contextId } = await talk.run("ask");
    const done = await talk.run("the red one", { taskId: id, contextId });
    assert.equal(done.state, "completed");
  });

  it("a task with another context is refused, and nothing changes", { needs: ["script"] }, async (talk) => {
    const { id } = await talk.run("ask");
    const other = await talk.run("hello");
    for (const contextId of [other.contextId, randomUUID()]) {
      const reply = await talk.send({ text: "the red one", taskId: id, contextId }).reply();
      assert.equal(reply.type, "error", "MUST reject messages containing mismatching contextId and taskId");
    }
    assert.equal((await talk.get({ id }).task()).state, "input-required");
  });

  it("a task id of the client's makes no task: TaskNotFound", async (talk) => {
    const taskId = randomUUID();
    await talk.send({ text: "hello", taskId }).refused("TASK_NOT_FOUND");
    await talk.get({ id: taskId }).refused("TASK_NOT_FOUND");
  });

  it("a question may be followed by another", { needs: ["script"] }, async (talk) => {
    const { id } = await talk.run("ask");
    const again = await talk.run("again", { taskId: id });
    assert.equal(again.state, "input-required");
    assert.deepEqual(again.said?.parts, [{ text: "and once more?" }]);
    const done = await talk.run("that is all", { taskId: id });
    assert.equal(textOf(done), "at last that is all");
  });

  it("who was asked to authenticate goes on in the same way", { needs: ["script"] }, async (talk) => {
    const { id } = await talk.run("auth");
    assert.equal((await talk.run("I did", { taskId: id })).state, "completed");
  });

  it("a conversation may change its binding and its version with every turn", { needs: ["script"] }, async (talk) => {
    for (const other of talk.others("send")) {
      const { id } = await talk.run("ask");
      const done = await other.run("the red one", { taskId: id });
      assert.equal(done.id, id, other.wire.name);
      assert.equal(textOf(done), "you said the red one", other.wire.name);
    }
  });

  it("the history has what was said, in order", { needs: ["script"] }, async (talk) => {
    const { id } = await talk.run("ask");
    const { history } = await talk.run("the red one", { taskId: id });
    assert.deepEqual(
      textsOf(history).filter((text) => ["ask", "which one?", "the red one"].includes(text)),
      history?.some(({ role }) => role === "agent") ? ["ask", "which one?", "the red one"] : ["ask", "the red one"],
    );
  });

  it("tasks may be referred to", { on: not(proto03) }, async (talk) => {
    const first = await talk.run("hello");
    const second = await talk.run("hello", { contextId: first.contextId, referenceTaskIds: [first.id] });
    assert.equal(second.state, "completed");
    assert.deepEqual(second.history?.[0]?.referenceTaskIds, [first.id]);
  });

  it("a follow-up to a task that runs is refused, and does not end it", {
    needs: ["script", "promises"],
  }, async (talk) => {
    const { id } = await talk.start("hang");
    await talk.until(id, "working");
    await talk.send({ text: "more", taskId: id, blocking: false }).refused("UNSUPPORTED_OPERATION");
    assert.equal((await talk.get({ id }).task()).state, "working");
    await talk.cancel({ id }).ok();
  });
});
