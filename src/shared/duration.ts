const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A span of time for people: `350 ms`, `4 s`, `2 min 5 s`, `3 h 10 min`, `5 d`. Negative spans count as none. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return withRest(`${minutes} min`, seconds % 60, "s");
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return withRest(`${hours} h`, minutes % 60, "min");
  return `${Math.round(minutes / 1440)} d`;
}

const withRest = (whole: string, rest: number, unit: string): string =>
  rest === 0 ? whole : `${whole} ${rest} ${unit}`;

/** Milliseconds of `90d`, `12h`, `30m`, `45s` or `200ms`; null for anything else, and for zero. */
export function parseDuration(text: string): number | null {
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text.trim());
  if (match === null) return null;
  const ms = Number(match[1]) * UNITS[match[2] as keyof typeof UNITS];
  return ms > 0 && Number.isSafeInteger(ms) ? ms : null;
}
