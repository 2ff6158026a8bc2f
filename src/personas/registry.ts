import { isDeepStrictEqual } from "node:util";
import type { Persona } from "./persona.js";

/** Names of personas; those of other tenants than the default one as `tenant/name`. */
export interface PersonaChanges {
  added: string[];
  changed: string[];
  removed: string[];
}

/** The personas that this daemon hosts. Others may take their place while it runs. */
export class PersonaRegistry {
  #byKey: ReadonlyMap<string, Persona>;

  constructor(personas: readonly Persona[]) {
    this.#byKey = byKey(personas);
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

  /** All at once. A persona that is as it was stays the same object, with all that others have worked out of it. */
  replace(personas: readonly Persona[]): PersonaChanges {
    const before = this.#byKey;
    const changes: PersonaChanges = { added: [], changed: [], removed: [] };
    const next = byKey(personas);
    for (const [at, persona] of next) {
      const known = before.get(at);
      if (known === undefined) changes.added.push(shownName(persona));
      else if (isDeepStrictEqual(known, persona)) next.set(at, known);
      else changes.changed.push(shownName(persona));
    }
    for (const [at, persona] of before) if (!next.has(at)) changes.removed.push(shownName(persona));
    this.#byKey = next;
    return changes;
  }
}

const key = (tenant: string, name: string): string => `${tenant}/${name}`;

const byKey = (personas: readonly Persona[]): Map<string, Persona> =>
  new Map(personas.map((persona) => [key(persona.tenant, persona.name), persona]));

const shownName = ({ tenant, name }: Persona): string => (tenant === "default" ? name : key(tenant, name));
