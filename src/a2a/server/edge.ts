import { Authenticator, type AuthenticatorOptions } from "../../access/authenticate.js";
import type { TokenReader } from "../../access/authentication.js";
import type { KeyCache } from "../../access/key-cache.js";
import type { AccessLimits } from "../../access/limits/access-limits.js";
import type { PersonaRegistry } from "../../personas/registry.js";
import type { Clock } from "../../shared/clock.js";
import { type ConfiguredFacts, Publication } from "./cards/publication.js";
import { A2aCore, type CoreDeps } from "./core.js";
import { Gate } from "./gate.js";
import { OpenCalls } from "./open-calls.js";
import type { OperationDeps } from "./operations/operation.js";

/** What is believed besides keys of ours. */
export interface AcceptedTokens {
  /** Tokens of agents, in a header of their own. */
  agent?: TokenReader | undefined;
  /** Tokens of identity providers. */
  bearer?: TokenReader | undefined;
  /** Calls `listener` with what is believed no more: a `keyId` of those who were let in. Returns how to stop. */
  onEnded(listener: (keyId: string) => void): () => void;
}

/** What the configuration says. Another one may come while calls are served. */
export interface EdgeSettings {
  /** Without them, nothing but keys of ours. */
  tokens?: AcceptedTokens;
  /** Whether a call without a credential is let in. */
  anonymous: boolean;
  limits: AccessLimits;
  /** What cards say. */
  cards: ConfiguredFacts;
  /** How long a blocking call of A2A 0.3 waits, ms. */
  blockingTimeoutMs: number;
}

export interface EdgeDeps extends CoreDeps, EdgeSettings {
  personas: PersonaRegistry;
  keys: KeyCache;
  clock: Clock;
  /** Told why a credential was not taken: the caller is not. */
  onRefused?: AuthenticatorOptions["onRefused"];
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
  /** The personas are others now, or what the configuration says is: open calls that would not be let in any more end. */
  changed(settings: EdgeSettings): void;
  /** Ends what waits: nothing that is begun now would last. Each listener closes itself. */
  close(): void;
}

export function createEdge(deps: EdgeDeps): A2aEdge {
  const { personas, keys, clock, onRefused, onFault } = deps;
  const publication = new Publication(personas, deps.cards, clock);
  const authenticatorFor = ({ anonymous, tokens }: EdgeSettings) =>
    new Authenticator(keys, clock, {
      ...{ anonymous, agentTokens: tokens?.agent, bearerTokens: tokens?.bearer },
      onRefused,
    });
  const gate = new Gate(personas, authenticatorFor(deps), {
    urlOf: (agent) => publication.urlOf(agent),
    limits: deps.limits,
    clock,
  });
  const calls = new OpenCalls(clock, gate);
  const endOfKey = (keyId: string) => calls.endOfKey(keyId);
  const stopKeys = keys.onRevoked(endOfKey);
  let stopTokens = deps.tokens?.onEnded(endOfKey);
  const { ledger, pushes } = deps;
  const core = new A2aCore(deps);
  const operations: OperationDeps = { core, ledger, pushes, clock, publication, onFault, ...operationSettings(deps) };
  return {
    gate,
    calls,
    publication,
    operations,
    changed(settings) {
      stopTokens?.();
      stopTokens = settings.tokens?.onEnded(endOfKey);
      publication.changed(settings.cards);
      Object.assign(operations, operationSettings(settings));
      gate.changed({ authenticator: authenticatorFor(settings), limits: settings.limits });
      calls.decideAgain();
    },
    close() {
      stopKeys();
      stopTokens?.();
      calls.endAll();
    },
  };
}

const operationSettings = ({ cards, blockingTimeoutMs }: EdgeSettings) => ({
  versions: cards.versions,
  blockingTimeoutMs,
});
