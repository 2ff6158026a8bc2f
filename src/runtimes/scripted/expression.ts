import { createContext, Script } from "node:vm";
import { NuncioError } from "../../shared/errors.js";

/**
 * Tries the operator's regular expressions on text from outside. Many harmless-looking ones, such as `(a+)+$`, take
 * exponential time on texts that were made for it, and nothing else runs meanwhile: thirty characters stopped a
 * daemon for half a minute. Only the engine's own watchdog can interrupt one; it costs about 0.2 ms a call.
 */
const LIMIT_MS = 100;
const scope: { expression?: RegExp; text?: string } = {};
createContext(scope);
const test = new Script("expression.test(text)");

/** @throws NuncioError when it takes longer than 100 ms, twice: a process that was halted for a moment looks the same */
export function matches(expression: RegExp, text: string): boolean {
  const found = tried(expression, text) ?? tried(expression, text);
  if (found === undefined)
    throw new NuncioError("invalid_argument", "the text takes too long to match with the script");
  return found;
}

function tried(expression: RegExp, text: string): boolean | undefined {
  // A `g` or `y` expression would begin where it last stopped.
  expression.lastIndex = 0;
  scope.expression = expression;
  scope.text = text;
  try {
    return test.runInContext(scope, { timeout: LIMIT_MS }) === true;
  } catch (error) {
    if ((error as { code?: unknown }).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return undefined;
    throw error;
  } finally {
    scope.text = "";
  }
}
