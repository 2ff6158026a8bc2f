import type { ScriptRule, ScriptStep } from "../../personas/persona.js";
import { type Message, textOf } from "../../tasks/message.js";
import { firstMatch, type Trial } from "./expression.js";

/** How much of a text the operator's expressions are tried on: some of them take quadratic time. */
const MATCHED_LENGTH = 64 * 1024;

export interface MatchedRule {
  rule: ScriptRule;
  /** Place in the script, from 0. */
  index: number;
}

/** The first rule whose conditions all hold. Pure, so that it can be asked at submission, too. */
export function matchRule(rules: readonly ScriptRule[], message: Message, turn: number): MatchedRule | undefined {
  if (rules.length === 0) return undefined;
  const text = textOf(message).slice(0, MATCHED_LENGTH);
  const candidates = rules.flatMap((rule, index) => {
    const { when = {} } = rule;
    if (when.turn !== undefined && when.turn !== turn) return [];
    const trials: Trial[] = [];
    if (when.messageId !== undefined) trials.push({ expression: when.messageId, text: message.messageId });
    if (when.text !== undefined) trials.push({ expression: when.text, text });
    return [{ rule, index, trials }];
  });
  // Rules behind the first that asks for nothing are never looked at.
  const certain = candidates.findIndex(({ trials }) => trials.length === 0);
  const asking = candidates.slice(0, certain < 0 ? undefined : certain);
  const found = asking.length === 0 ? -1 : firstMatch(asking.map(({ trials }) => trials));
  const candidate = candidates[found < 0 ? certain : found];
  return candidate === undefined ? undefined : { rule: candidate.rule, index: candidate.index };
}

/** Whether the answer to this message is a bare Message and no task on the wire. */
export function answersWithMessage(rules: readonly ScriptRule[], message: Message, turn: number): boolean {
  const ending = matchRule(rules, message, turn)?.rule.steps.find(endsTurn);
  return ending !== undefined && "message" in ending;
}

/** After this step nothing of the script runs in this turn. A failure of the first attempts does not end it. */
export const endsTurn = (step: ScriptStep): boolean =>
  "ask" in step ||
  "auth" in step ||
  "reply" in step ||
  "complete" in step ||
  "message" in step ||
  "reject" in step ||
  "hang" in step ||
  ("fail" in step && step.fail.attempts === undefined);
