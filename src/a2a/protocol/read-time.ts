import { invalidArgument } from "../../shared/errors.js";
import { text } from "./check.js";

/** RFC 3339 with up to nine digits of a second, as ProtoJSON reads a `google.protobuf.Timestamp`. */
const TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])(\d\d):(\d\d))$/i;

/**
 * The first millisecond that is not before the given time; absent when there is none. The specification asks for UTC (5.6.1),
 * and its examples of clients send offsets, too.
 */
export function optionalTime(value: unknown, field: string): number | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  const found = TIME.exec(text(value, field));
  if (found === null) throw notATime(field);
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map(Number) as Six;
  const [, , , , , , , fraction = "", sign, offsetHours = "0", offsetMinutes = "0"] = found;
  const whole = new Date(0);
  whole.setUTCFullYear(year, month - 1, day);
  whole.setUTCHours(hour, minute, second);
  // What is no day of a calendar has become another one.
  const same = whole.getUTCMonth() === month - 1 && whole.getUTCDate() === day && whole.getUTCSeconds() === second;
  if (!same || year === 0 || hour > 23 || minute > 59 || Number(offsetHours) > 23 || Number(offsetMinutes) > 59) {
    throw notATime(field);
  }
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000;
  return whole.getTime() + Math.ceil(Number(`0.${fraction || "0"}`) * 1000) - (sign === "-" ? -offset : offset);
}

type Six = [number, number, number, number, number, number];

const notATime = (field: string) =>
  invalidArgument(field, "must be a time as RFC 3339 writes it, e.g. 2025-10-28T10:30:00.000Z");
