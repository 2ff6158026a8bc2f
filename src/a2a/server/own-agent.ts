import type { Principal } from "../../access/principal.js";
import type { Persona } from "../../personas/persona.js";
import type { JsonObject } from "../../shared/json.js";
import type { Binding, CallName, CallOptions, StreamName } from "../client/bindings/binding.js";
import { CODECS } from "../protocol/codec.js";
import { OPERATIONS } from "./operations/index.js";
import type { OperationDeps, OperationResult } from "./operations/operation.js";
import type { Framing } from "./stream-pieces.js";

/**
 * An agent of this daemon, spoken to as any other agent is, without a listener in between: what a call over A2A would have
 * brought about, this brings about.
 */
export class OwnAgentBinding implements Binding {
  readonly #persona: Persona;
  readonly #principal: Principal;
  readonly #deps: OperationDeps;

  /** @param principal that may call the agent, which has been decided */
  constructor(persona: Persona, principal: Principal, deps: OperationDeps) {
    this.#persona = persona;
    this.#principal = principal;
    this.#deps = deps;
  }

  async call(name: CallName, params: JsonObject, options: CallOptions): Promise<unknown> {
    const result = await this.#run(name, params, options);
    return result.type === "json" ? JSON.parse(result.text) : undefined;
  }

  async stream(name: StreamName, params: JsonObject, options: CallOptions): Promise<AsyncIterable<unknown>> {
    const result = await this.#run(name, params, options);
    return result.type === "stream" ? results(result.pieces(FRAMING)) : (async function* () {})();
  }

  #run(name: CallName | StreamName, params: JsonObject, { signal }: CallOptions): Promise<OperationResult> {
    const { tenant, visibility, policy } = this.#persona;
    const call = {
      caller: {
        principal: this.#principal,
        persona: this.#persona,
        agent: { type: "agent" as const, tenant, visibility, policy },
      },
      version: "1.0" as const,
      codec: CODECS["1.0"],
      params,
      lastSeen: undefined,
      closed: () => signal ?? new AbortController().signal,
    };
    return OPERATIONS[name](call, this.#deps);
  }
}

type Piece = { texts: string[] } | { failure: unknown };

const FRAMING: Framing<Piece> = {
  results: (told) => ({ texts: told.map(({ text }) => text) }),
  failure: (failure) => ({ failure }),
};

async function* results(pieces: AsyncIterable<Piece>): AsyncGenerator<unknown, void> {
  for await (const piece of pieces) {
    if ("failure" in piece) throw piece.failure;
    for (const text of piece.texts) yield JSON.parse(text);
  }
}
