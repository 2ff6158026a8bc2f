/** A place to run one attempt in this process. Released exactly once, however often it is asked to. */
export interface Slot {
  release(): void;
}

export interface PersonaSlots {
  tenant: string;
  name: string;
  maxConcurrent: number;
}

interface Hosted {
  limit: number;
  taken: number;
  hosted: boolean;
}

/** The slots of this process: a limit for all, and one for each persona that it hosts. */
export class Slots {
  #limit: number;
  readonly #personas = new Map<string, Hosted>();
  readonly #onRelease: () => void;
  #taken = 0;

  constructor(limit: number, personas: readonly PersonaSlots[], onRelease: () => void) {
    this.#limit = limit;
    this.#onRelease = onRelease;
    this.#host(personas);
  }

  /** From now on there are so many, for these personas. What is taken stays taken, also where it is more. */
  replace(limit: number, personas: readonly PersonaSlots[]): void {
    this.#limit = limit;
    for (const [at, persona] of this.#personas) {
      // One that is not hosted any more is remembered while something of it runs: it may come back.
      persona.limit = 0;
      persona.hosted = false;
      if (persona.taken === 0) this.#personas.delete(at);
    }
    this.#host(personas);
  }

  #host(personas: readonly PersonaSlots[]): void {
    for (const { tenant, name, maxConcurrent } of personas) {
      const at = key(tenant, name);
      const persona = this.#personas.get(at);
      if (persona === undefined) this.#personas.set(at, { limit: maxConcurrent, taken: 0, hosted: true });
      else Object.assign(persona, { limit: maxConcurrent, hosted: true });
    }
  }

  /** Whether tasks of the persona are run here at all. */
  hosts(tenant: string, name: string): boolean {
    return this.#personas.get(key(tenant, name))?.hosted === true;
  }

  /**
   * Takes a slot for a persona, if there is one.
   *
   * @param freedBy the persona of an attempt that ends in the same transaction: its own slot counts as free already
   */
  take(tenant: string, name: string, freedBy?: string): Slot | undefined {
    const persona = this.#personas.get(key(tenant, name));
    if (persona?.hosted !== true) return undefined;
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
