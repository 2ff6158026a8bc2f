import { createHash } from "node:crypto";
import type { Persona } from "../../personas/persona.js";
import { DELEGATION_EXTENSION } from "../protocol/delegation-extension.js";
import type { ProtocolVersion } from "../protocol/version.js";

/** A card as it is sent. */
export interface ServedCard {
  body: string;
  /** Strong, made from the body. */
  etag: string;
}

export interface CardOptions {
  /** Where the listener is reached, without a slash at the end. It is configured; a card never repeats what a request says. */
  baseUrl: string;
  versions: readonly ProtocolVersion[];
  /** Whether a call needs no credential. */
  anonymous: boolean;
  /** Version of the agent that cards name. */
  version: string;
}

/** Path of an agent's endpoint. */
export const agentPath = ({ tenant, name }: { tenant: string; name: string }): string =>
  tenant === "default"
    ? `/v1/agents/${encodeURIComponent(name)}/a2a`
    : `/v1/tenants/${encodeURIComponent(tenant)}/agents/${encodeURIComponent(name)}/a2a`;

/**
 * The cards of the agents (A2A 1.0, 4.4.1; 0.3, 5.5). Clients of 1.0 get a pure card; all others get one that both sides can
 * read, since those of 0.3 say nothing about their version. What a card offers is what there is.
 */
export class Cards {
  readonly #options: CardOptions;
  readonly #served = new Map<string, ServedCard>();

  constructor(options: CardOptions) {
    this.#options = options;
  }

  /** @param asked the value of `A2A-Version` */
  of(persona: Persona, asked: string | undefined): ServedCard {
    const shape = this.#shapeFor(asked);
    const key = `${persona.tenant}/${persona.name}/${shape}`;
    let served = this.#served.get(key);
    if (served === undefined) {
      served = serve(this.#card(persona, shape));
      this.#served.set(key, served);
    }
    return served;
  }

  #shapeFor(asked: string | undefined): Shape {
    const { versions } = this.#options;
    if (!versions.includes("0.3")) return "1.0";
    if (!versions.includes("1.0")) return "0.3";
    return asked === undefined || asked === "" || asked.startsWith("0.") ? "both" : "1.0";
  }

  #card(persona: Persona, shape: Shape): object {
    const shared = this.#shared(persona);
    if (shape === "1.0") return { ...shared, ...this.#onlyV1(persona) };
    if (shape === "0.3") return { ...shared, ...this.#onlyV03(persona) };
    return {
      ...shared,
      ...this.#onlyV1(persona),
      ...this.#onlyV03(persona),
      capabilities: { ...V1_CAPABILITIES, ...capabilities(persona) },
      // The two versions name the kind of a scheme in different fields, which do not meet.
      securitySchemes: { nuncioBearer: { ...BEARER_V1, ...BEARER_V03 } },
    };
  }

  #shared(persona: Persona): object {
    const description = persona.description === "" ? `The agent ${persona.name}` : persona.description;
    return {
      name: persona.name,
      description,
      version: this.#options.version,
      defaultInputModes: MODES,
      defaultOutputModes: MODES,
      skills: skills(persona, description),
    };
  }

  #onlyV1(persona: Persona): object {
    const url = this.#options.baseUrl + agentPath(persona);
    return {
      supportedInterfaces: this.#options.versions.map((protocolVersion) => ({
        url,
        protocolBinding: "JSONRPC",
        protocolVersion,
      })),
      capabilities: { ...capabilities(persona), ...V1_CAPABILITIES },
      securitySchemes: { nuncioBearer: BEARER_V1 },
      securityRequirements: [{ schemes: { nuncioBearer: {} } }, ...(this.#options.anonymous ? [{}] : [])],
    };
  }

  #onlyV03(persona: Persona): object {
    const url = this.#options.baseUrl + agentPath(persona);
    return {
      protocolVersion: "0.3.0",
      url,
      preferredTransport: "JSONRPC",
      additionalInterfaces: [{ url, transport: "JSONRPC" }],
      capabilities: capabilities(persona),
      supportsAuthenticatedExtendedCard: false,
      securitySchemes: { nuncioBearer: BEARER_V03 },
      security: [{ nuncioBearer: [] }, ...(this.#options.anonymous ? [{}] : [])],
    };
  }
}

type Shape = "1.0" | "0.3" | "both";

const MODES = ["text/plain", "application/json"];

const BEARER = "An API key of this server: `nuncio key create NAME`";
const BEARER_V1 = { httpAuthSecurityScheme: { scheme: "Bearer", description: BEARER } };
const BEARER_V03 = { type: "http", scheme: "bearer", description: BEARER };

const V1_CAPABILITIES = { extendedAgentCard: false };

const capabilities = (persona: Persona): object => ({
  streaming: persona.streaming,
  pushNotifications: false,
  extensions: [
    {
      uri: DELEGATION_EXTENSION,
      description: "Counts delegations from agent to agent, so that a chain of them ends",
    },
  ],
});

/** A card must name at least one skill, and a skill at least one tag. */
function skills(persona: Persona, description: string): object[] {
  if (persona.skills.length === 0) return [{ id: persona.name, name: persona.name, description, tags: [persona.name] }];
  return persona.skills.map((skill) => ({
    id: skill,
    name: skill,
    description: `${skill}: ${description}`,
    tags: [skill],
  }));
}

function serve(card: object): ServedCard {
  const body = JSON.stringify(card);
  return { body, etag: `"${createHash("sha256").update(body).digest("base64url")}"` };
}
