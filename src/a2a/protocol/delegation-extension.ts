import { invalidArgument } from "../../shared/errors.js";
import type { JsonObject } from "../../shared/json.js";
import type { Message } from "../../tasks/message.js";
import { object, optionalLabel } from "./check.js";
import { LIMITS } from "./limits.js";

/**
 * The extension by which agents tell each other how deep a delegation is. In `message.metadata`, under this URI:
 *
 *     { "hop": 2 }
 *
 * `hop` is the number of delegations that the message has behind it, itself included when it is one. A receiver counts
 * on from the greater of that number and its own: the value can only bring the end of a chain nearer, never push it away.
 */
export const DELEGATION_EXTENSION = "https://nuncio.dev/extensions/delegation/v1";

/** A message that hands work on, as one of so many delegations. `skill` is what was reviewed of a pinned peer. */
export const delegated = (message: Message, { hop, skill }: { hop: number; skill?: string }): Message => ({
  ...message,
  metadata: {
    ...message.metadata,
    [DELEGATION_EXTENSION]: { hop, ...(skill !== undefined && { skill }) } as JsonObject,
  },
  extensions: [...new Set([...(message.extensions ?? []), DELEGATION_EXTENSION])],
});

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

/** The skill that a message names; undefined when it names none. */
export function skillOf(message: Message): string | undefined {
  const given = message.metadata?.[DELEGATION_EXTENSION];
  if (given === undefined) return undefined;
  const field = `message.metadata["${DELEGATION_EXTENSION}"]`;
  return optionalLabel(object(given, field).skill, `${field}.skill`);
}
