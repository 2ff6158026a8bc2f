import { LRUCache } from "lru-cache";
import type { Persona } from "../../../personas/persona.js";
import type { JsonObject } from "../../../shared/json.js";
import type { ProtocolVersion } from "../../protocol/version.js";
import { inShape, type Spellings, spellCard } from "./card.js";
import { detailsOf } from "./details.js";
import type { CardFacts } from "./facts.js";
import { readingsOf } from "./readings.js";
import { type Served, served } from "./served.js";
import { type Shape, shapeFor } from "./shape.js";
import { CardSigner, noSignatures } from "./signer.js";

/** Cards that are kept as they were sent, some KiB each. */
const KEPT = 2048;

/**
 * The cards of the agents (A2A 1.0, 4.4 and 8; 0.3, 5). Each is made, and signed, when it is first asked for, and then
 * kept for as long as its persona is the same object.
 */
export class Cards {
  /** The keys that signatures point to; undefined where cards are not signed. */
  readonly keySet: Served | undefined;
  readonly #facts: CardFacts;
  readonly #signer: CardSigner | undefined;
  readonly #kept = new LRUCache<string, { persona: Persona; card: Served }>({ max: KEPT });

  /** @param signatures of earlier cards, to which those of these are added */
  constructor(facts: CardFacts, signatures = noSignatures()) {
    this.#facts = facts;
    this.#signer = facts.keys === undefined ? undefined : new CardSigner(facts.keys, facts.baseUrl, signatures);
    this.keySet = this.#signer === undefined ? undefined : served(this.#signer.jwks);
  }

  /**
   * The card that everybody may see who may see the agent.
   *
   * @param asked the value of `A2A-Version`
   */
  of(persona: Persona, asked: string | undefined): Served {
    const shape = shapeFor(asked, this.#facts.versions);
    return this.#keep(persona, shape, () => this.#make(spellCard(persona, this.#facts), shape));
  }

  /**
   * The card for a caller who has said who they are (1.0, 3.1.11 and 13.3; 0.3, 7.10).
   *
   * @param level how much the caller is told: one of the agent's tenant more than others, and one that has only been let
   *   in as anybody no more than the public card says
   */
  extended(persona: Persona, version: ProtocolVersion, level: "anybody" | "caller" | "insider"): Served {
    return this.#keep(persona, `${version} ${level}`, () => {
      const more = level === "anybody" ? [] : [detailsOf(persona, this.#facts.limits, level === "insider")];
      return this.#make(spellCard(persona, this.#facts, more), version);
    });
  }

  #make(spellings: Spellings, shape: Shape): Served {
    const card: JsonObject = { ...inShape(spellings, shape) };
    const signer = this.#signer;
    if (signer !== undefined) card.signatures = readingsOf(spellings, shape).map((text) => signer.sign(text));
    return served(card);
  }

  #keep(persona: Persona, kind: string, make: () => Served): Served {
    const key = `${persona.tenant}/${persona.name} ${kind}`;
    const kept = this.#kept.get(key);
    if (kept?.persona === persona) return kept.card;
    const card = make();
    this.#kept.set(key, { persona, card });
    return card;
  }
}
