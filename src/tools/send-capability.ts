import { allows, allowsSome } from "../personas/capabilities.js";
import type { Persona } from "../personas/persona.js";

const SEND = "persona.send";

export const SEND_NEEDS = "the capability persona.send:*";

/** Whether a persona may delegate to anybody: with `persona.send:*`, or with a grant for a single target. */
export const maySend = (persona: Persona): boolean => allowsSome(persona.capabilities.allow, SEND);

/** What a call that delegates to the target uses. */
export const sendCapability = (target: string): string => `${SEND}:${target}`;

export const maySendTo = (persona: Persona, target: string): boolean =>
  allows(persona.capabilities.allow, sendCapability(target));
