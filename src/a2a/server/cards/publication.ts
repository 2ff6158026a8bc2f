import type { AgentName } from "../../../access/agent-name.js";
import type { PersonaRegistry } from "../../../personas/registry.js";
import type { Clock } from "../../../shared/clock.js";
import { agentPath } from "./agent-url.js";
import { Cards } from "./cards.js";
import { Directory } from "./directory.js";
import type { CardFacts } from "./facts.js";
import { type Address, baseUrl, grpcUrl, type PublicUrls } from "./public-url.js";
import { noSignatures } from "./signer.js";

/** What the configuration says; where the listeners are is known once they listen. */
export type ConfiguredFacts = PublicUrls & Omit<CardFacts, "baseUrl" | "grpc">;

interface Listeners {
  http?: Address;
  grpc?: Address;
}

/** What the world is told of the agents, as of now: one place that all listeners ask. */
export class Publication {
  readonly #personas: PersonaRegistry;
  readonly #clock: Clock;
  readonly #signatures = noSignatures();
  #facts: ConfiguredFacts;
  #listeners: Listeners = {};
  #changedAt: number;
  #made: { cards: Cards; directory: Directory } | undefined;

  constructor(personas: PersonaRegistry, facts: ConfiguredFacts, clock: Clock) {
    this.#personas = personas;
    this.#facts = facts;
    this.#clock = clock;
    this.#changedAt = clock.now();
  }

  /** Undefined while there is no URL that cards could name: it is where clients send their credentials. */
  get cards(): Cards | undefined {
    return this.#documents()?.cards;
  }

  get directory(): Directory | undefined {
    return this.#documents()?.directory;
  }

  /** The agent whose card stands at the root. */
  get defaultAgent(): AgentName | undefined {
    const name = this.#facts.defaultAgent;
    return name === undefined ? undefined : { tenant: "default", name };
  }

  /** Where an agent is called, as its card says; undefined while there is no such URL. */
  urlOf(agent: AgentName): string | undefined {
    const url = baseUrl(this.#facts, this.#listeners.http);
    return url === undefined ? undefined : url + agentPath(agent);
  }

  /** When that of which the documents are made was last changed, ms. */
  get changedAt(): number {
    return this.#changedAt;
  }

  /** A listener has its address. */
  listensAt(listeners: Listeners): void {
    this.#listeners = { ...this.#listeners, ...listeners };
    this.#made = undefined;
  }

  /** The personas are others now, or what is said of all of them is. */
  changed(facts: ConfiguredFacts = this.#facts): void {
    this.#facts = facts;
    this.#changedAt = this.#clock.now();
    this.#made = undefined;
  }

  #documents(): { cards: Cards; directory: Directory } | undefined {
    if (this.#made !== undefined) return this.#made;
    const url = baseUrl(this.#facts, this.#listeners.http);
    if (url === undefined) return undefined;
    const grpc = grpcUrl(this.#facts, this.#listeners.grpc);
    this.#made = {
      cards: new Cards({ ...this.#facts, baseUrl: url, grpc }, this.#signatures),
      directory: new Directory(this.#personas.all(), url),
    };
    return this.#made;
  }
}
