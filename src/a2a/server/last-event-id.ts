import { invalidArgument } from "../../shared/errors.js";

/** The number of the event that a client has seen last, from its header `Last-Event-ID`. */
export function lastSeenOf(header: string | undefined): number | undefined {
  if (header === undefined || header === "") return undefined;
  if (!/^\d{1,15}$/.test(header)) throw invalidArgument("Last-Event-ID", "must be the id of an event of this task");
  return Number(header);
}
