import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { section } from "../table/case.js";

export const cancelTask = section("3.1.5", "Cancel Task", "E12 E20", (it) => {
  it("a task that works is canceled, and stays so", { needs: ["script"] }, async (talk) => {
    const { id } = await talk.start("hang");
    await talk.until(id, "working");
    const canceled = await talk.cancel({ id }).task();
    assert.equal(canceled.id, id);
    assert.equal(canceled.state, "canceled");
    assert.equal((await talk.get({ id }).task()).state, "canceled");
  });

  it("so is one that was only just submitted", { needs: ["script"] }, async (talk) => {
    const { id } = await talk.start("hang");
    assert.equal((await talk.cancel({ id }).task()).state, "canceled");
  });

  for (const text of ["ask", "auth"]) {
    it(`so is one that waits for its caller: ${text}`, { needs: ["script"] }, async (talk) => {
      const { id } = await talk.run(text);
      assert.equal((await talk.cancel({ id }).task()).state, "canceled");
    });
  }

  for (const text of ["hello", "fail", "reject"]) {
    it(`one that has ended is not cancelable: ${text}`, { needs: ["script"] }, async (talk) => {
      const { id, state } = await talk.run(text);
      await talk.cancel({ id }).refused("TASK_NOT_CANCELABLE");
      assert.equal((await talk.get({ id }).task()).state, state);
    });
  }

  it("nor is one that is canceled already", { needs: ["script"] }, async (talk) => {
    const { id } = await talk.start("hang");
    await talk.cancel({ id }).task();
    await talk.cancel({ id }).refused("TASK_NOT_CANCELABLE");
    for (const other of talk.others("cancel")) await other.cancel({ id }).refused("TASK_NOT_CANCELABLE");
  });

  it("a task that is not there: TaskNotFound", async (talk) => {
    await talk.cancel({ id: randomUUID() }).refused("TASK_NOT_FOUND");
  });

  it("somebody else's task: TaskNotFound, and it goes on", { needs: ["script", "another caller"] }, async (talk) => {
    const { id } = await talk.run("ask");
    const stranger = await talk.asStranger();
    await stranger.cancel({ id }).refused("TASK_NOT_FOUND");
    assert.equal((await talk.get({ id }).task()).state, "input-required");
  });

  it("a blocking call hears of it", { needs: ["script"] }, async (talk) => {
    const messageId = randomUUID();
    const waiting = talk.send({ text: "hang", messageId, blocking: true });
    // The same message finds the task without waiting for it.
    const { id } = await talk.start("hang", { messageId });
    await talk.cancel({ id }).task();
    assert.equal((await waiting.task()).state, "canceled");
  });

  it("metadata is taken", { needs: ["script"] }, async (talk) => {
    const { id } = await talk.start("hang");
    assert.equal((await talk.cancel({ id, metadata: { why: "no longer needed" } }).task()).state, "canceled");
  });
});
