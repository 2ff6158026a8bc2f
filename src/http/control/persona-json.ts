import type { Persona } from "../../personas/persona.js";
import type { DaemonFacts } from "./deps.js";
import type { PersonaDetail, PersonaSummary } from "./schema/persona.js";

export function personaOf(persona: Persona, { running }: DaemonFacts): PersonaSummary {
  const { name, tenant, description, visibility, skills, maxConcurrent } = persona;
  return {
    name,
    tenant,
    description,
    visibility,
    runtime: persona.runtime.type,
    skills: skills.map((skill) => skill.name),
    maxConcurrent,
    running: running(tenant, name),
  };
}

/** Everything about a persona that is not a secret; its prompt is in the file that the operator wrote. */
export function personaDetailOf(persona: Persona, facts: DaemonFacts): PersonaDetail {
  const { runtime, capabilities, streaming, push, extendedCard, followUps } = persona;
  return {
    ...personaOf(persona, facts),
    capabilities: { allow: [...capabilities.allow], requireApproval: [...capabilities.requireApproval] },
    provider: "provider" in runtime ? runtime.provider : null,
    model: runtime.type === "model" ? runtime.model : null,
    offers: { streaming, push, extendedCard, followUps },
    url: facts.listeners.http === null ? null : `${facts.listeners.http}${pathOf(persona)}`,
  };
}

/** Where the A2A listener serves an agent. */
const pathOf = ({ tenant, name }: Persona): string =>
  tenant === "default" ? `/v1/agents/${name}/a2a` : `/v1/tenants/${tenant}/agents/${name}/a2a`;
