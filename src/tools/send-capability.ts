import { allows, allowsSome } from "../personas/capabilities.js";
import type { Persona } from "../personas/persona.js";

const SEND = "persona.send";

export const SEND_NEEDS = "the capability persona.send:*";

/** Whether a persona may delegate to anybody: with `persona.send:*`, or with a grant for a single target. */
export const maySend = (persona: Persona): boolean => allowsSome(persona.capabilities.allow, SEND);

/** What needs an approval is refused, since nobody could give it. */
export function maySendTo(persona: Persona, target: string): boolean {
  const needed = `${SEND}:${target}`;
  return allows(persona.capabilities.allow, needed) && !allows(persona.capabilities.requireApproval, needed);
}
