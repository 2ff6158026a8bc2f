import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { http, section, v1, v03 } from "../table/case.js";
import { textOf } from "../table/look.js";
import { TERMINAL } from "../words.js";

export const configuration = section("3.2.2", "SendMessageConfiguration", "E9 E20", (it) => {
  it("1.0 waits by default until the task has ended", { on: v1, needs: ["script"] }, async (talk) => {
    const task = await talk.send({ text: "slow" }).task();
    assert.equal(task.state, "completed");
    assert.equal(textOf(task), "half, done", "with all artifacts");
  });

  it("0.3 answers at once by default", { on: v03, needs: ["script"] }, async (talk) => {
    const task = await talk.send({ text: "hang" }).task();
    assert.ok(!TERMINAL.includes(task.state));
    await talk.cancel({ id: task.id }).ok();
  });

  it("who does not want to wait is answered at once", { needs: ["script"] }, async (talk) => {
    const task = await talk.send({ text: "hang", blocking: false }).task();
    assert.ok(["submitted", "working"].includes(task.state), task.state);
    await talk.cancel({ id: task.id }).ok();
  });

  for (const [text, state] of [
    ["slow", "completed"],
    ["fail", "failed"],
    ["reject", "rejected"],
    ["ask", "input-required"],
    ["auth", "auth-required"],
  ] as const) {
    it(`who waits is answered when the task is ${state}`, { needs: ["script"] }, async (talk) => {
      const task = await talk.send({ text, blocking: true }).task();
      assert.equal(task.state, state);
      if (state === "input-required" || state === "auth-required") assert.ok(task.said, "with what is asked");
    });
  }

  it("waiting or not has no effect on a bare message", { needs: ["script"] }, async (talk) => {
    for (const blocking of [true, false]) {
      const message = await talk.send({ text: "bare words", blocking }).message();
      assert.deepEqual(message.parts, [{ text: "just bare words" }]);
    }
  });

  it("a follow-up waits as a first message does", { needs: ["script"] }, async (talk) => {
    const { id } = await talk.run("ask");
    const done = await talk.send({ text: "the red one", taskId: id, blocking: true }).task();
    assert.equal(done.state, "completed");
    const asking = await talk.run("ask");
    const going = await talk.send({ text: "the blue one", taskId: asking.id, blocking: false }).task();
    assert.equal(going.id, asking.id);
    assert.equal((await talk.until(going.id, "completed")).state, "completed");
  });

  it("a flag that is no boolean is refused", { on: http }, async (talk) => {
    const flag = talk.wire.version === "1.0" ? "configuration.returnImmediately" : "configuration.blocking";
    for (const value of ["yes", 1, {}]) {
      await talk.send({ messageId: randomUUID(), replace: { [flag]: value } }).refused("INVALID_PARAMS");
    }
  });

  it("output modes that are no list of texts are refused", { on: http }, async (talk) => {
    for (const value of ["text/plain", [1], { a: 1 }]) {
      await talk.send({ replace: { "configuration.acceptedOutputModes": value } }).refused("INVALID_PARAMS");
    }
  });

  it("a configuration that is no object is refused", { on: http }, async (talk) => {
    for (const value of ["x", [], 7]) await talk.send({ replace: { configuration: value } }).refused("INVALID_PARAMS");
  });
});
