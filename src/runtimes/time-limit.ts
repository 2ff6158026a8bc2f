import { NuncioError } from "../shared/errors.js";

/**
 * Calls `work` with a signal that aborts when `signal` does and after `ms`, and is over when `work` is. What it aborts
 * with after `ms` is an error that says so; trying again may help.
 */
export async function withTimeLimit<T>(
  signal: AbortSignal,
  ms: number,
  what: string,
  work: (limited: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const timer = setTimeout(() => {
    limit.abort(
      new NuncioError("unavailable", `${what} took longer than ${ms} ms (timeoutMs)`, { reason: "TIME_LIMIT" }),
    );
  }, ms);
  try {
    return await work(AbortSignal.any([signal, limit.signal]));
  } finally {
    clearTimeout(timer);
  }
}
