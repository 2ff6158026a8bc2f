import type { OidcProvider } from "../../../access/oidc/oidc-token-reader.js";
import type { Persona } from "../../../personas/persona.js";
import type { ProtocolVersion } from "../../protocol/version.js";
import type { CallerLimits } from "./details.js";
import type { CardKeys } from "./signer.js";

/** What cards are made from besides the persona. All of it is configured: a card never repeats what a request says. */
export interface CardFacts {
  /** Where the listener is reached, without a slash at the end. */
  baseUrl: string;
  versions: readonly ProtocolVersion[];
  /** Version of the agents that cards name. */
  version: string;
  /** Whether HTTP+JSON is served. */
  rest: boolean;
  /** `HOST:PORT` at which gRPC is reached; undefined where it is not served. */
  grpc?: string | undefined;
  /** Of the default tenant. A gRPC call of 0.3 that names no agent reaches this one. */
  defaultAgent?: string | undefined;
  /** Whether notifications by webhook are sent at all. */
  push: boolean;
  security: SecurityFacts;
  about: CardAbout;
  /** Told to callers by the extended card. */
  limits: CallerLimits;
  /** Without them cards are not signed. */
  keys?: CardKeys | undefined;
}

/** What the listener takes for a proof of who calls, besides API keys. */
export interface SecurityFacts {
  /** Whether a call needs no credential. */
  anonymous: boolean;
  /** The audience that the token of another agent names, a SPIFFE id; undefined for a persona that takes no such tokens. */
  agentTokenAudience(persona: Persona): string | undefined;
  /** Issuers whose tokens are accepted. */
  oidc: readonly OidcProvider[];
}

/** What the operator says of all agents. */
export interface CardAbout {
  provider?: { organization: string; url: string } | undefined;
  documentationUrl?: string | undefined;
  iconUrl?: string | undefined;
}
