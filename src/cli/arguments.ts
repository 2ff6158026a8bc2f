import { InvalidArgumentError } from "commander";
import { parseDuration } from "../shared/duration.js";

/** Parsers of option values; commander prints the name of the option with what they say. */
export function positiveInteger(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > 2 ** 31 - 1)
    throw new InvalidArgumentError("It must be a whole number above 0.");
  return value;
}

export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("It must be a whole number.");
  return Number(text);
}

/** Seconds of a span such as `90d`, `12h` or `30m`. */
export function spanInSeconds(text: string): number {
  const ms = parseDuration(text);
  if (ms === null || ms < 1000) throw new InvalidArgumentError("It must be a span such as 90d, 12h or 30m.");
  return Math.round(ms / 1000);
}

export const collected = (value: string, before: string[] | undefined): string[] => [...(before ?? []), value];
