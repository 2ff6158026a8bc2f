import { z } from "zod";
import type { PersonaRegistry } from "../personas/registry.js";
import type { Skill } from "../personas/skill.js";
import { hostTool, result } from "./host-tool.js";
import { maySend, maySendTo, SEND_NEEDS } from "./send-capability.js";

/** The personas that the caller may delegate to, itself left out. */
export function personaList(house: { personas: PersonaRegistry }) {
  return hostTool({
    name: "persona_list",
    description:
      "Lists the personas that you can hand work to with persona_send: name, description and skills of each.",
    args: z.strictObject({}),
    offeredTo: maySend,
    needs: SEND_NEEDS,
    idempotent: true,
    async run(_args, { persona }) {
      return result(
        house.personas
          .inTenant(persona.tenant)
          .filter(({ name }) => name !== persona.name && maySendTo(persona, name))
          .map(({ name, description, skills }) => ({ name, description, ...skillFields(skills) })),
      );
    },
  });
}

/** The names, and what is known of them beyond that. */
function skillFields(skills: readonly Skill[]): { skills: string[]; skill_descriptions?: Record<string, string> } {
  const described = skills.filter(({ description }) => description !== "");
  return {
    skills: skills.map(({ name }) => name),
    ...(described.length === 0
      ? {}
      : { skill_descriptions: Object.fromEntries(described.map(({ name, description }) => [name, description])) }),
  };
}
