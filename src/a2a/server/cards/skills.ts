import type { Persona } from "../../../personas/persona.js";
import type { JsonObject } from "../../../shared/json.js";

/** A card must name at least one skill, and a skill at least one tag; the two versions spell them alike. */
export function skillsOf(persona: Persona, description: string): JsonObject[] {
  if (persona.skills.length === 0) return [{ id: persona.name, name: persona.name, description, tags: [persona.name] }];
  return persona.skills.map((skill) => ({
    id: skill.name,
    name: skill.name,
    description: skill.description === "" ? `${skill.name}: ${description}` : skill.description,
    tags: skill.tags.length === 0 ? [skill.name] : [...skill.tags],
  }));
}
