import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { section } from "../table/case.js";
import { textOf } from "../table/look.js";

export const getTask = section("3.1.3", "Get Task", "E10 E20", (it) => {
  it("gives the current state, artifacts and history of a task", { needs: ["script"] }, async (talk) => {
    const sent = await talk.run("steps");
    const task = await talk.get({ id: sent.id }).task();
    assert.deepEqual(task, sent);
    assert.equal(textOf(task), "one two three");
  });

  it("gives a task that runs", { needs: ["script"] }, async (talk) => {
    const { id, contextId } = await talk.start("hang");
    const task = await talk.until(id, "working");
    assert.equal(task.contextId, contextId);
    await talk.cancel({ id }).ok();
  });

  it("gives a task to its creator on every binding and in both versions", { needs: ["script"] }, async (talk) => {
    const { id, contextId } = await talk.run("steps");
    for (const other of talk.others("get")) {
      const task = await other.get({ id }).task();
      assert.equal(task.contextId, contextId, other.wire.name);
      assert.equal(task.state, "completed", other.wire.name);
      assert.equal(textOf(task), "one two three", other.wire.name);
    }
  });

  it("a task that is not there: TaskNotFound", async (talk) => {
    await talk.get({ id: randomUUID() }).refused("TASK_NOT_FOUND");
  });

  for (const [what, id] of [
    ["is no UUID", "nope"],
    ["has a slash", "a/b"],
    ["is a path", "../../healthz"],
    ["has a percent sign", "100%25"],
    ["is not ASCII", "äöü-任务"],
    ["ends like a verb", "x:cancel"],
  ] as const) {
    it(`an id that ${what}: an error of the caller's`, async (talk) => {
      const reply = await talk.get({ id }).reply();
      assert.equal(reply.type, "error");
      const names = reply.type === "error" ? reply.error.names : [];
      const known = ["TASK_NOT_FOUND", "INVALID_PARAMS", "NOT_FOUND", "METHOD_NOT_ALLOWED"].some((name) =>
        names.includes(name),
      );
      assert.ok(known, `${names} for ${id}`);
    });
  }

  it("somebody else's task is answered like one that is not there", { needs: ["another caller"] }, async (talk) => {
    const { id } = await talk.run("hello");
    const stranger = await talk.asStranger();
    const hidden = await stranger.get({ id }).refused("TASK_NOT_FOUND");
    const absentId = randomUUID();
    const absent = await stranger.get({ id: absentId }).refused("TASK_NOT_FOUND");
    assert.equal(hidden.message.replaceAll(id, "#"), absent.message.replaceAll(absentId, "#"));
    assert.equal(
      JSON.stringify(hidden.details).replaceAll(id, "#"),
      JSON.stringify(absent.details).replaceAll(absentId, "#"),
    );
    assert.equal(hidden.facts.status, absent.facts.status);
  });

  it("a task of another agent is not found at this one", { needs: ["plain agent"] }, async (talk) => {
    const { id } = await talk.plain.run("hello");
    await talk.get({ id }).refused("TASK_NOT_FOUND");
  });
});
