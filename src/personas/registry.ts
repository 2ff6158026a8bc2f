import type { Persona } from "./persona.js";

/** The personas that this daemon hosts. */
export class PersonaRegistry {
  readonly #byKey = new Map<string, Persona>();

  constructor(personas: readonly Persona[]) {
    for (const persona of personas) this.#byKey.set(key(persona.tenant, persona.name), persona);
  }

  get(tenant: string, name: string): Persona | undefined {
    return this.#byKey.get(key(tenant, name));
  }

  inTenant(tenant: string): Persona[] {
    return [...this.#byKey.values()].filter((persona) => persona.tenant === tenant);
  }

  all(): Persona[] {
    return [...this.#byKey.values()];
  }
}

const key = (tenant: string, name: string): string => `${tenant}/${name}`;
