import type { IncomingMessage, ServerResponse } from "node:http";
import { served } from "../a2a/server/cards/served.js";
import type { Gate } from "../a2a/server/gate.js";
import type { AgentName } from "../access/agent-name.js";
import { agentNamed } from "../access/agent-tokens/our-spiffe-id.js";
import { keySetOf } from "../access/agent-tokens/published-keys.js";
import type { SigningKey } from "../access/agent-tokens/signing-key.js";
import { failed, write } from "./answer.js";
import { sendDocument } from "./conditional.js";
import { credentialsOf } from "./credentials.js";
import { refusalAnswer } from "./refusal.js";

const KEYS = /^\/\.well-known\/nuncio-agent-keys\/([^?#]+?)\/?(?:[?#]|$)/;

export interface AgentKeysDeps {
  gate: Gate;
  /** The keys of an agent that count now. */
  keysOf(agent: AgentName): readonly SigningKey[];
  onFault(error: unknown): void;
}

/** The public keys by which others verify the tokens of an agent, for everybody who may see the agent. */
export class AgentKeysEndpoint {
  readonly #deps: AgentKeysDeps;

  constructor(deps: AgentKeysDeps) {
    this.#deps = deps;
  }

  /** Answers a request for the keys of an agent, whether there is one or not; false for anything else. */
  serve(request: IncomingMessage, response: ServerResponse): boolean {
    if (request.method !== "GET" && request.method !== "HEAD") return false;
    const agent = agentAt(request.url as string);
    if (agent === null) return false;
    this.#answer(agent, request, response).catch((error) => {
      this.#deps.onFault(error);
      if (!response.headersSent) write(response, failed(error));
    });
    return true;
  }

  async #answer(agent: AgentName, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { gate, keysOf } = this.#deps;
    const entry = await gate.admit(agent, "agent:keys", credentialsOf(request), request.socket);
    if ("refusal" in entry) return write(response, refusalAnswer(entry.refusal));
    const caching =
      entry.persona.visibility === "public"
        ? { cacheControl: "public, max-age=60" }
        : { cacheControl: "private, max-age=60", vary: "Authorization, X-Nuncio-Agent-Token" };
    // A key may go at any moment, and two changes may come in one second: whether it is the same set is for its tag to say.
    const changedAt = Date.now();
    sendDocument(served(keySetOf(keysOf(agent))), { ...caching, changedAt }, request, response);
  }
}

function agentAt(target: string): AgentName | null {
  const found = KEYS.exec(target)?.[1];
  try {
    return found === undefined ? null : agentNamed(decodeURI(found));
  } catch {
    return null;
  }
}
