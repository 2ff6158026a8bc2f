import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  isRunning,
  isTerminal,
  next,
  TASK_STATES,
  TERMINAL_STATES,
  TRANSITIONS,
  type Transition,
} from "./task-state.js";

const transitions = Object.keys(TRANSITIONS) as Transition[];

describe("the table of transitions", () => {
  it("invariant 1 next() allows exactly what the table says", () => {
    for (const transition of transitions) {
      const { from, to } = TRANSITIONS[transition];
      for (const state of TASK_STATES) {
        if ((from as readonly string[]).includes(state)) expect(next(state, transition)).toBe(to);
        else expect(() => next(state, transition)).toThrow(expect.objectContaining({ code: "failed_precondition" }));
      }
    }
  });

  it("invariant 1 these are the transitions, and there are no others", () => {
    const table = transitions.map(
      (name) => `${TRANSITIONS[name].from.join(" | ")} --${name}--> ${TRANSITIONS[name].to}`,
    );
    expect(table.sort()).toEqual([
      "claimed --start--> processing",
      "claimed | processing --fail--> failed",
      "claimed | processing --requeue--> pending",
      "pending --claim--> claimed",
      "pending | claimed | processing | waiting --cancel--> canceled",
      "processing --complete--> completed",
      "processing --park--> waiting",
      "processing --reject--> rejected",
      "waiting --relay--> waiting",
      "waiting --wake--> pending",
    ]);
  });

  it("invariant 1 a refusal says which states would have allowed it", () => {
    expect(() => next("waiting", "claim")).toThrow(
      expect.objectContaining({
        message: "a waiting task cannot claim",
        hint: "only a pending task can",
        details: { state: "waiting", transition: "claim" },
      }),
    );
  });

  it("invariant 6 nothing leads out of a terminal state", () => {
    for (const { from } of Object.values(TRANSITIONS)) {
      expect(
        (from as readonly string[]).filter((state) => (TERMINAL_STATES as readonly string[]).includes(state)),
      ).toEqual([]);
    }
  });

  it("every unfinished state can be canceled, and every state can be reached", () => {
    const unfinished = TASK_STATES.filter((state) => !isTerminal(state));
    expect([...TRANSITIONS.cancel.from].sort()).toEqual([...unfinished].sort());
    const reached = new Set(["pending", ...Object.values(TRANSITIONS).map(({ to }) => to)]);
    expect([...reached].sort()).toEqual([...TASK_STATES].sort());
  });

  it("a task runs only between a claim and whatever ends the attempt", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...transitions), { maxLength: 50 }), (steps) => {
        let state: (typeof TASK_STATES)[number] = "pending";
        let claimed = false;
        for (const step of steps) {
          if (!(TRANSITIONS[step].from as readonly string[]).includes(state)) continue;
          state = next(state, step);
          if (step === "claim") claimed = true;
          else if (step !== "start") claimed = false;
          expect(isRunning(state)).toBe(claimed);
        }
      }),
    );
  });
});
