/** Runs `wait` with a signal that aborts when the caller is gone or, given a limit, when the time is up. */
export async function withTimeLimit<T>(
  closed: () => AbortSignal,
  limitMs: number | undefined,
  wait: (waiting: AbortSignal) => Promise<T>,
): Promise<T> {
  if (limitMs === undefined) return wait(closed());
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), limitMs);
  try {
    return await wait(AbortSignal.any([closed(), limit.signal]));
  } finally {
    clearTimeout(timer);
  }
}
