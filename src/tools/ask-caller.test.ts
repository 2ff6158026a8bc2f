import { describe, expect, it } from "vitest";
import { TestHouse, testPersona } from "../../test/support/test-house.js";

const ask = { question: "Which year?" };

describe("ask_caller", () => {
  it("ends the turn with the question; in the next turn the call has the caller's answer", async () => {
    const test = new TestHouse([testPersona("boss")]);
    const task = test.task("boss", "go");
    const first = task.attempt();
    expect(await first.tools.call("ask_caller", ask, "c1")).toEqual({
      type: "ask",
      waitingFor: "input",
      question: "Which year?",
    });
    first.commit();
    task.answer("2024");
    const second = task.attempt({ counts: false });
    const outcome = await second.tools.call("ask_caller", ask, "c1");
    expect(outcome).toMatchObject({ value: { answer: "2024" }, isError: false });
    expect(outcome).toMatchObject({ text: expect.stringContaining("answer, said by your caller") });
    second.commit();
    task.answer("something else");
    expect(await task.attempt().tools.call("ask_caller", ask, "c1")).toEqual(outcome);
  });

  it("asks again when an attempt died before the question was out", async () => {
    const task = new TestHouse([testPersona("boss")]).task("boss", "go");
    await task.attempt().tools.call("ask_caller", ask, "c1");
    expect(await task.attempt().tools.call("ask_caller", ask, "c1")).toMatchObject({ type: "ask" });
  });
});
