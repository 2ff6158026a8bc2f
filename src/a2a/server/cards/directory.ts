import type { Persona } from "../../../personas/persona.js";
import { agentPath } from "./agent-url.js";
import { descriptionOf } from "./description.js";
import { type Served, served } from "./served.js";
import { wellFormed } from "./well-formed.js";

/** Agents on one page. */
export const PAGE_SIZE = 200;

export const DIRECTORY_PATH = "/.well-known/agent.json";

/**
 * The directory of the public agents of all tenants, which is no card of the specification: name, description and skills
 * of each, where its card is and where its endpoint. Private agents are not in it, and not in its count.
 */
export class Directory {
  readonly #agents: readonly Persona[];
  readonly #baseUrl: string;
  readonly #pages = new Map<number, Served>();

  /** @param personas as they are now: when they change, a directory is made anew */
  constructor(personas: readonly Persona[], baseUrl: string) {
    this.#agents = personas.filter(({ visibility }) => visibility === "public").sort(byTenantAndName);
    this.#baseUrl = baseUrl;
  }

  /** @param number from 1, which is there even when it is empty; undefined for one that is not there */
  page(number: number): Served | undefined {
    if (number < 1 || number > Math.max(1, Math.ceil(this.#agents.length / PAGE_SIZE))) return undefined;
    let page = this.#pages.get(number);
    if (page === undefined) {
      page = served(wellFormed(this.#make(number)));
      this.#pages.set(number, page);
    }
    return page;
  }

  #make(number: number): object {
    const end = number * PAGE_SIZE;
    const more = end < this.#agents.length;
    return {
      agents: this.#agents.slice(end - PAGE_SIZE, end).map((persona) => this.#entry(persona)),
      total: this.#agents.length,
      ...(more ? { next: `${this.#baseUrl}${DIRECTORY_PATH}?page=${number + 1}` } : {}),
    };
  }

  #entry(persona: Persona): object {
    const url = this.#baseUrl + agentPath(persona);
    return {
      name: persona.name,
      tenant: persona.tenant,
      description: descriptionOf(persona),
      url,
      card: `${url}/.well-known/agent-card.json`,
      skills: persona.skills.map(({ name }) => name),
    };
  }
}

function byTenantAndName(a: Persona, b: Persona): number {
  if (a.tenant !== b.tenant) return a.tenant < b.tenant ? -1 : 1;
  return a.name < b.name ? -1 : 1;
}
