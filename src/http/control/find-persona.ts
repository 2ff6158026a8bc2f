import type { Persona } from "../../personas/persona.js";
import type { PersonaRegistry } from "../../personas/registry.js";
import { NuncioError } from "../../shared/errors.js";

/** @param field of the request that names it */
export function findPersona(personas: PersonaRegistry, tenant: string, name: string, field = "persona"): Persona {
  const persona = personas.get(tenant, name);
  if (persona !== undefined) return persona;
  throw new NuncioError("not_found", `persona ${JSON.stringify(name)} is not loaded${inTenant(tenant)}`, {
    field,
    hint: loaded(personas, tenant, name),
  });
}

function loaded(personas: PersonaRegistry, tenant: string, name: string): string {
  const elsewhere = personas.all().find((persona) => persona.name === name);
  if (elsewhere !== undefined)
    return `it belongs to tenant ${elsewhere.tenant}: name it with --tenant ${elsewhere.tenant}`;
  const names = personas.inTenant(tenant).map((persona) => persona.name);
  return names.length === 0 ? `no persona is loaded${inTenant(tenant)}` : `loaded are: ${names.join(", ")}`;
}

const inTenant = (tenant: string): string => (tenant === "default" ? "" : ` in tenant ${tenant}`);
