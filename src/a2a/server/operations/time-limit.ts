import { type Ending, EndingSource } from "../../../shared/ending.js";

/** Runs `wait` until the caller is gone or the time is up, whichever is first. */
export function withTimeLimit<T>(closed: Ending, limitMs: number, wait: (waiting: Ending) => Promise<T>): Promise<T> {
  const limit = new EndingSource();
  const end = () => limit.abort();
  const timer = setTimeout(end, limitMs);
  closed.addEventListener("abort", end);
  if (closed.aborted) end();
  return wait(limit).finally(() => {
    clearTimeout(timer);
    closed.removeEventListener("abort", end);
  });
}
