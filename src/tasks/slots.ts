/** A place to run one attempt in this process. Released exactly once, however often it is asked to. */
export interface Slot {
  release(): void;
}

export interface PersonaSlots {
  tenant: string;
  name: string;
  maxConcurrent: number;
}

/** The slots of this process: a limit for all, and one for each persona that it hosts. */
export class Slots {
  readonly #limit: number;
  readonly #personas = new Map<string, { limit: number; taken: number; tenant: string; name: string }>();
  readonly #onRelease: () => void;
  #taken = 0;

  constructor(limit: number, personas: readonly PersonaSlots[], onRelease: () => void) {
    this.#limit = limit;
    this.#onRelease = onRelease;
    for (const { tenant, name, maxConcurrent } of personas) {
      this.#personas.set(key(tenant, name), { limit: maxConcurrent, taken: 0, tenant, name });
    }
  }

  /**
   * Takes a slot for a persona, if there is one.
   *
   * @param freedBy the persona of an attempt that ends in the same transaction: its own slot counts as free already
   */
  take(tenant: string, name: string, freedBy?: string): Slot | undefined {
    const persona = this.#personas.get(key(tenant, name));
    if (persona === undefined) return undefined;
    if (this.#taken >= this.#limit + (freedBy === undefined ? 0 : 1)) return undefined;
    if (persona.taken >= persona.limit + (freedBy === name ? 1 : 0)) return undefined;
    persona.taken += 1;
    this.#taken += 1;
    let held = true;
    return {
      release: () => {
        if (!held) return;
        held = false;
        persona.taken -= 1;
        this.#taken -= 1;
        this.#onRelease();
      },
    };
  }

  get free(): number {
    return Math.max(0, this.#limit - this.#taken);
  }

  get taken(): number {
    return this.#taken;
  }

  takenOf(tenant: string, name: string): number {
    return this.#personas.get(key(tenant, name))?.taken ?? 0;
  }

  /** How many more attempts of the persona may run; 0 for one that is not hosted here. */
  freeOf(tenant: string, name: string): number {
    const persona = this.#personas.get(key(tenant, name));
    return persona === undefined ? 0 : Math.max(0, Math.min(persona.limit - persona.taken, this.free));
  }
}

const key = (tenant: string, name: string): string => `${tenant}/${name}`;
