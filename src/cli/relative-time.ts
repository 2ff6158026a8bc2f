import { durationText } from "../shared/duration.js";

/** `4 s ago`, `in 2 h 5 min`; what a timestamp of the control API means to somebody who looks now. */
export function relativeTime(timestamp: string, now: number): string {
  const away = Date.parse(timestamp) - now;
  return away > 0 ? `in ${durationText(away)}` : `${durationText(-away)} ago`;
}
