import { createContext, Script } from "node:vm";
import { NuncioError } from "../../shared/errors.js";

/** An expression of the operator's, and the text from outside that it is tried on. */
export interface Trial {
  expression: RegExp;
  text: string;
}

/**
 * Tries the operator's regular expressions on text from outside. Many harmless-looking ones, such as `(a+)+$`, take
 * exponential time on texts that were made for it, and nothing else runs meanwhile: thirty characters stopped a
 * daemon for half a minute. Only the engine's own watchdog can interrupt one; it costs about 0.2 ms a call, so that all
 * expressions of a script are tried in one.
 */
const SLICE_MS = 100;
/** Of the processor: on a busy machine a process may be halted for longer than any limit on the clock, and goes on then. */
const LIMIT_CPU_MS = 150;
const scope: { candidates?: readonly (readonly Trial[])[] } = {};
createContext(scope);
// A `g` or `y` expression would begin where it last stopped.
const find = new Script(`candidates.findIndex((trials) =>
  trials.every(({ expression, text }) => ((expression.lastIndex = 0), expression.test(text))))`);

/**
 * The place of the first candidate all of whose trials match, or -1.
 *
 * @throws NuncioError when that takes more than 150 ms of the processor
 */
export function firstMatch(candidates: readonly (readonly Trial[])[]): number {
  const before = process.cpuUsage();
  for (;;) {
    const found = tried(candidates);
    if (found !== undefined) return found;
    const { user, system } = process.cpuUsage(before);
    if ((user + system) / 1000 > LIMIT_CPU_MS)
      throw new NuncioError("invalid_argument", "the text takes too long to match with the script");
  }
}

function tried(candidates: readonly (readonly Trial[])[]): number | undefined {
  scope.candidates = candidates;
  try {
    return find.runInContext(scope, { timeout: SLICE_MS }) as number;
  } catch (error) {
    if ((error as { code?: unknown }).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return undefined;
    throw error;
  } finally {
    scope.candidates = [];
  }
}
