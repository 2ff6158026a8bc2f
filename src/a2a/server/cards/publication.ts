import type { AgentName } from "../../../access/agent-name.js";
import type { PersonaRegistry } from "../../../personas/registry.js";
import type { Clock } from "../../../shared/clock.js";
import { agentPath } from "./agent-url.js";
import { Cards } from "./cards.js";
import { Directory } from "./directory.js";
import type { CardFacts } from "./facts.js";

/** What the configuration says; where the listeners are reached is known once they listen. */
export type ConfiguredFacts = Omit<CardFacts, keyof Reached>;

/** How the outside reaches us. */
interface Reached {
  /** Undefined while there is no URL that cards could name. */
  baseUrl?: string | undefined;
  /** `HOST:PORT` */
  grpc?: string | undefined;
}

/** What the world is told of the agents, as of now: one place that all listeners ask. */
export class Publication {
  readonly #personas: PersonaRegistry;
  readonly #clock: Clock;
  #facts: ConfiguredFacts;
  #reached: Reached = {};
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
    const { baseUrl } = this.#reached;
    return baseUrl === undefined ? undefined : baseUrl + agentPath(agent);
  }

  /** When that of which the documents are made was last changed, ms. */
  get changedAt(): number {
    return this.#changedAt;
  }

  /** A listener has its address. */
  reachedAt(where: Reached): void {
    this.#reached = { ...this.#reached, ...where };
    this.#made = undefined;
  }

  /** The personas are others now, or what is said of all of them is. */
  changed(facts: ConfiguredFacts = this.#facts): void {
    this.#facts = facts;
    this.#changedAt = this.#clock.now();
    this.#made = undefined;
  }

  #documents(): { cards: Cards; directory: Directory } | undefined {
    const { baseUrl, grpc } = this.#reached;
    if (baseUrl === undefined) return undefined;
    this.#made ??= {
      cards: new Cards({ ...this.#facts, baseUrl, grpc }),
      directory: new Directory(this.#personas.all(), baseUrl),
    };
    return this.#made;
  }
}
