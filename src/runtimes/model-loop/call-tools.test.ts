import { expect, it } from "vitest";
import type { Run, ToolOutcome } from "../../tasks/runner.js";
import { callTools } from "./call-tools.js";
import type { ModelToolCall } from "./model-turn.js";

const { signal } = new AbortController();
const call = (id: string): ModelToolCall => ({ type: "tool-call", id, name: "a2a_call", input: {} });

/** A run whose calls come to this, and whether each was told that it is the last one. */
function run(outcomes: Record<string, ToolOutcome>) {
  const last: (boolean | undefined)[] = [];
  const tools = {
    call: async (_name: string, _args: unknown, id: string, options?: { last?: boolean }) => {
      last.push(options?.last);
      return outcomes[id] as ToolOutcome;
    },
  };
  return { run: { tools } as unknown as Run, last };
}

it("D17 a call that waits for a time alone parks the run as one that waits for a task does", async () => {
  const outside: ToolOutcome = { type: "wait", taskIds: [], until: 2000 };
  const one = run({ a: outside });
  expect(await callTools(one.run, [call("a")], signal)).toEqual({
    outcome: { type: "awaiting", taskIds: [], until: 2000 },
  });
  const done: ToolOutcome = { type: "result", value: "x", text: "x", isError: false };
  const several = run({ a: outside, b: { type: "wait", taskIds: ["t"], until: 1000 }, c: done });
  expect(await callTools(several.run, ["a", "b", "c"].map(call), signal)).toEqual({
    outcome: { type: "awaiting", taskIds: ["t"], until: 1000 },
  });
  // None of them may park the run by itself: another one waits already.
  expect(several.last).toEqual([false, false, false]);
});
