import type { Persona } from "../../../personas/persona.js";

/** What others are told about an agent; never empty, since a card must say something. */
export const descriptionOf = ({ name, description }: Persona): string =>
  description === "" ? `The agent ${name}` : description;
