/**
 * How long to wait after the nth failure: doubles from `baseMs` up to `maxMs`, the upper half of it at random, so that
 * what failed together is not tried again together.
 *
 * @param failures how many there have been, from 1
 * @returns milliseconds
 */
export function backoff(failures: number, baseMs: number, maxMs: number, random: () => number = Math.random): number {
  const full = Math.min(maxMs, baseMs * 2 ** Math.min(failures - 1, 30));
  return Math.round(full / 2 + (full / 2) * random());
}
