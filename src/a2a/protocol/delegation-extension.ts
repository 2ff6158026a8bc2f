import { invalidArgument } from "../../shared/errors.js";
import type { Message } from "../../tasks/message.js";
import { object } from "./check.js";
import { LIMITS } from "./limits.js";

/**
 * The extension by which agents tell each other how deep a delegation is. In `message.metadata`, under this URI:
 *
 *     { "hop": 2 }
 *
 * `hop` is the number of delegations that the sender has behind it, 0 or more. A receiver counts on from the greater
 * of that number and its own: the value can only bring the end of a chain nearer, never push it away.
 */
export const DELEGATION_EXTENSION = "https://nuncio.dev/extensions/delegation/v1";

/** The hops that the sender of a message claims to have behind it; 0 when it says nothing. */
export function hopOf(message: Message): number {
  const given = message.metadata?.[DELEGATION_EXTENSION];
  if (given === undefined) return 0;
  const field = `message.metadata["${DELEGATION_EXTENSION}"]`;
  const hop = object(given, field).hop;
  if (typeof hop !== "number" || !Number.isInteger(hop) || hop < 0 || hop > LIMITS.hops) {
    throw invalidArgument(`${field}.hop`, "must be a whole number, 0 or more");
  }
  return hop;
}
