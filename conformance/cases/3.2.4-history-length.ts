import assert from "node:assert/strict";
import { http, not, proto03, section } from "../table/case.js";
import type { Talk } from "../table/talk.js";
import type { Task } from "../words.js";

/** A task with three messages of its caller. */
async function threeTurns(talk: Talk): Promise<Task> {
  const { id } = await talk.run("ask");
  await talk.run("again", { taskId: id });
  return talk.run("that is all", { taskId: id });
}

export const historyLength = section("3.2.4", "History Length Semantics", "E20 E21", (it) => {
  it("unset: what the server has", { needs: ["script"] }, async (talk) => {
    const { id } = await threeTurns(talk);
    const { history = [] } = await talk.get({ id }).task();
    const said = history.filter(({ role }) => role === "user").map(({ parts }) => parts[0]?.text);
    assert.deepEqual(said, ["ask", "again", "that is all"]);
  });

  it("0: none, and the field is left out", { on: not(proto03), needs: ["script"] }, async (talk) => {
    const { id } = await threeTurns(talk);
    assert.equal((await talk.get({ id, historyLength: 0 }).task()).history, undefined);
    assert.equal((await talk.run("hello", { historyLength: 0 })).history, undefined);
  });

  it("n: at most the n most recent", { needs: ["script"] }, async (talk) => {
    const { id } = await threeTurns(talk);
    const { history: all = [] } = await talk.get({ id }).task();
    for (const length of [1, 2, all.length]) {
      const { history } = await talk.get({ id, historyLength: length }).task();
      assert.deepEqual(history, all.slice(-length), `of ${length}`);
    }
  });

  it("more than there are: all of them", { needs: ["script"] }, async (talk) => {
    const { id } = await threeTurns(talk);
    const { history: all } = await talk.get({ id }).task();
    assert.deepEqual((await talk.get({ id, historyLength: 1_000_000 }).task()).history, all);
  });

  it("the answer to a message obeys it, too", { needs: ["script"] }, async (talk) => {
    const { id } = await talk.run("ask");
    const task = await talk.run("again", { taskId: id, historyLength: 1 });
    assert.equal(task.history?.length, 1);
  });

  it("so does the first event of a stream", { needs: ["script"] }, async (talk) => {
    const { id } = await talk.run("ask");
    const stream = await talk.stream({ text: "the red one", taskId: id, historyLength: 1 }).ok();
    const [first] = await stream.rest();
    assert.ok(first?.type === "task");
    assert.ok((first.task.history?.length ?? 0) <= 1);
  });

  it("a negative number is refused", async (talk) => {
    const { id } = await talk.run("hello");
    await talk.get({ id, historyLength: -1 }).refused("INVALID_PARAMS");
    await talk.send({ text: "hello", historyLength: -1 }).refused("INVALID_PARAMS");
  });

  it("what is no whole number is refused", { on: http }, async (talk) => {
    const { id } = await talk.run("hello");
    for (const value of ["abc", 1.5, "1.5", [], true, 2 ** 31]) {
      await talk.get({ id, replace: { historyLength: value } }).refused("INVALID_PARAMS");
      await talk.send({ replace: { "configuration.historyLength": value } }).refused("INVALID_PARAMS");
    }
  });
});
