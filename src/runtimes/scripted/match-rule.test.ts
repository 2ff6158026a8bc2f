import { describe, expect, it } from "vitest";
import type { ScriptRule, ScriptStep } from "../../personas/persona.js";
import type { Message } from "../../tasks/message.js";
import { answersWithMessage, matchRule } from "./match-rule.js";

const say = (text: string, messageId = "m1"): Message => ({ messageId, role: "user", parts: [{ text }] });
const rule = (when: ScriptRule["when"], ...steps: ScriptStep[]): ScriptRule =>
  when === undefined ? { steps } : { when, steps };

const RULES: ScriptRule[] = [
  rule({ text: /^report on (.+)/, turn: 1 }),
  rule({ text: /^report/ }),
  rule({ messageId: /^probe-/ }),
  rule({ turn: 2 }),
  rule({ text: /x/, messageId: /y/, turn: 3 }),
];

describe("the rule for a message", () => {
  it.each<[string, Message, number, number | undefined]>([
    ["the first that matches", say("report on cats"), 1, 0],
    ["a later one when the turn is another", say("report on cats"), 2, 1],
    ["by message id", say("hi", "probe-7"), 1, 2],
    ["by turn alone", say("hi"), 2, 3],
    ["all conditions hold", say("x", "y"), 3, 4],
    ["one condition fails", say("x", "z"), 3, undefined],
    ["none", say("hi"), 1, undefined],
    ["text of all text parts", { ...say("hi"), parts: [{ data: 1 }, { text: "hi" }, { text: "x" }] }, 1, undefined],
    ["no text at all", { ...say("hi"), parts: [{ data: 1 }] }, 1, undefined],
  ])("%s", (_name, message, turn, index) => {
    expect(matchRule(RULES, message, turn)?.index).toBe(index);
  });

  it("without conditions matches everything", () => {
    expect(matchRule([rule(undefined)], say(""), 9)?.index).toBe(0);
  });

  it("does not depend on what was matched before", () => {
    const rules = [rule({ text: /a/g }), rule({ text: /b/y })];
    for (let round = 0; round < 3; round++) {
      expect(matchRule(rules, say("ca"), 1)?.index).toBe(0);
      expect(matchRule(rules, say("b"), 1)?.index).toBe(1);
    }
  });

  it("is tried on the first 64 KiB of a text only", () => {
    const rules = [rule({ text: /end/ })];
    expect(matchRule(rules, say(`${"x".repeat(65_533)}end`), 1)?.index).toBe(0);
    expect(matchRule(rules, say(`${"x".repeat(65_534)}end`), 1)).toBeUndefined();
  });
});

describe("whether the answer is a bare Message", () => {
  it.each<[string, ScriptStep[], boolean]>([
    ["a message", [{ message: "hi" }], true],
    ["after a status", [{ status: "…" }, { message: "hi" }], true],
    ["a reply", [{ reply: "hi" }], false],
    ["a reply before it", [{ reply: "hi" }, { message: "never" }], false],
    ["a question before it", [{ ask: "?" }, { message: "never" }], false],
    ["nothing that ends", [{ status: "…" }], false],
  ])("%s", (_name, steps, bare) => {
    expect(answersWithMessage([rule({ text: /^q/ }, ...steps)], say("q"), 1)).toBe(bare);
  });

  it("is no for an echo", () => {
    expect(answersWithMessage([rule({ text: /^q/ }, { message: "hi" })], say("other"), 1)).toBe(false);
    expect(answersWithMessage([], say("other"), 1)).toBe(false);
  });
});
