import { Authenticator } from "../../access/authenticate.js";
import type { KeyCache } from "../../access/key-cache.js";
import type { PersonaRegistry } from "../../personas/registry.js";
import type { Clock } from "../../shared/clock.js";
import { type ConfiguredFacts, Publication } from "./cards/publication.js";
import { A2aCore, type CoreDeps } from "./core.js";
import { Gate } from "./gate.js";
import { OpenCalls } from "./open-calls.js";
import type { OperationDeps } from "./operations/operation.js";

export interface EdgeDeps extends CoreDeps {
  personas: PersonaRegistry;
  keys: KeyCache;
  clock: Clock;
  /** Whether a call without a credential is let in. */
  anonymous: boolean;
  /** What cards say. */
  cards: ConfiguredFacts;
  /** How long a blocking call of A2A 0.3 waits, ms. */
  blockingTimeoutMs: number;
  /** Told of errors that are ours: the caller sees none of it. */
  onFault(error: unknown): void;
}

/** What all listeners share: who comes in, what they may have done, and the calls that take a while. */
export interface A2aEdge {
  gate: Gate;
  calls: OpenCalls;
  operations: OperationDeps;
  /** Cards and the like. Each listener tells it where it is reached. */
  publication: Publication;
  /** Ends what waits: nothing that is begun now would last. Each listener closes itself. */
  close(): void;
}

export function createEdge(deps: EdgeDeps): A2aEdge {
  const { personas, keys, clock, anonymous, blockingTimeoutMs, onFault } = deps;
  const calls = new OpenCalls(clock);
  const publication = new Publication(personas, deps.cards, clock);
  const stopListening = keys.onRevoked((keyId) => calls.endOfKey(keyId));
  return {
    gate: new Gate(personas, new Authenticator(keys, clock, { anonymous }), (agent) => publication.urlOf(agent)),
    calls,
    publication,
    operations: { core: new A2aCore(deps), publication, blockingTimeoutMs, onFault },
    close() {
      stopListening();
      calls.endAll();
    },
  };
}
