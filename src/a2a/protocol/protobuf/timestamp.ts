/** `google.protobuf.Timestamp` and its ProtoJSON: RFC 3339 in UTC, with 0, 3, 6 or 9 digits of a second. */

/** 0001-01-01 and 9999-12-31T23:59:59 */
const FIRST = -62_135_596_800n;
const LAST = 253_402_300_799n;

/** null where JSON has no way to say it. */
export function writtenTime(seconds: bigint, nanos: number): string | null {
  if (seconds < FIRST || seconds > LAST || nanos < 0 || nanos > 999_999_999) return null;
  const whole = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  if (nanos === 0) return `${whole}Z`;
  const digits = String(nanos).padStart(9, "0");
  return `${whole}.${digits.replace(/(?:000){1,2}$/, "")}Z`;
}

/** @param text as `writtenTime` gives it, with any number of digits up to nine */
export function readTime(text: string): { seconds: number; nanos: number } {
  const millis = Date.parse(text);
  if (Number.isNaN(millis)) throw new Error("is not a time");
  const fraction = /\.(\d{1,9})/.exec(text)?.[1] ?? "";
  return { seconds: Math.floor(millis / 1000), nanos: Number(fraction.padEnd(9, "0")) };
}
