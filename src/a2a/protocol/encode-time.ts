/** The last second that was written, and its text up to the milliseconds. */
let second = Number.NaN;
let upToMillis = "";

/**
 * ISO 8601 in UTC with milliseconds (A2A 1.0, 5.6.1). Nearly all times that are written are those of this second: the
 * engine's own way took 4 to 7 µs of a request.
 */
export function isoTime(ms: number): string {
  const whole = Math.floor(ms / 1000);
  if (whole !== second) {
    upToMillis = new Date(whole * 1000).toISOString().slice(0, -4);
    second = whole;
  }
  const millis = ms - whole * 1000;
  return `${upToMillis}${millis < 10 ? "00" : millis < 100 ? "0" : ""}${millis}Z`;
}
