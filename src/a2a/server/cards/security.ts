import { discoveryUrl } from "../../../access/oidc/discovery.js";
import type { OidcProvider } from "../../../access/oidc/oidc-token-reader.js";
import type { Persona } from "../../../personas/persona.js";
import type { JsonObject } from "../../../shared/json.js";
import type { SecurityFacts } from "./facts.js";

/** One way in, in both spellings. Each of them is enough. */
interface Scheme {
  name: string;
  v1: JsonObject;
  v03: JsonObject;
  /** What the credential must be good for, as far as it is asked for when the credential is made. */
  scopes: string[];
  isOAuth?: boolean;
}

/** What a card says of the way in. */
export interface SecurityFields {
  v1: { securitySchemes: Record<string, JsonObject>; securityRequirements: JsonObject[] };
  v03: { securitySchemes: Record<string, JsonObject>; security: JsonObject[] };
}

/**
 * What is accepted, and nothing else. In 0.3 only OAuth and OpenID Connect have scopes (OpenAPI 3.0), so the list of any
 * other scheme is empty there.
 */
export function securityOf(persona: Persona, facts: SecurityFacts): SecurityFields {
  const schemes = schemesOf(persona, facts);
  const none = facts.anonymous ? [{}] : [];
  return {
    v1: {
      securitySchemes: Object.fromEntries(schemes.map(({ name, v1 }) => [name, v1])),
      securityRequirements: [
        ...schemes.map(({ name, scopes }) => ({ schemes: { [name]: scopes.length === 0 ? {} : { list: scopes } } })),
        ...none,
      ],
    },
    v03: {
      securitySchemes: Object.fromEntries(schemes.map(({ name, v03 }) => [name, v03])),
      security: [...schemes.map(({ name, scopes, isOAuth }) => ({ [name]: isOAuth === true ? scopes : [] })), ...none],
    },
  };
}

function schemesOf(persona: Persona, facts: SecurityFacts): Scheme[] {
  const { visibility } = persona;
  const audience = facts.agentTokenAudience(persona);
  return [
    bearer(),
    ...(audience === undefined ? [] : [agentToken(audience)]),
    ...facts.oidc.filter(({ tenant }) => visibility === "public" || tenant === persona.tenant).map(openId),
  ];
}

/** Both spellings say `Bearer` alike, so that a client which turns one into the other comes to the same card. */
function bearer(): Scheme {
  const fields = { scheme: "Bearer", description: "An API key or a session token of this server" };
  return {
    name: "nuncioBearer",
    v1: { httpAuthSecurityScheme: fields },
    v03: { type: "http", ...fields },
    scopes: ["runs:execute"],
  };
}

function agentToken(audience: string): Scheme {
  const fields = {
    name: "X-Nuncio-Agent-Token",
    description: `A JWT-SVID of the calling agent for the audience ${audience}`,
  };
  return {
    name: "nuncioAgentToken",
    v1: { apiKeySecurityScheme: { location: "header", ...fields } },
    v03: { type: "apiKey", in: "header", ...fields },
    scopes: [],
  };
}

function openId({ issuer, audience, scopes }: OidcProvider, index: number): Scheme {
  const fields = {
    openIdConnectUrl: discoveryUrl(issuer),
    description: `A token of this issuer for the audience ${audience}, sent as a bearer token`,
  };
  return {
    name: index === 0 ? "openIdConnect" : `openIdConnect${index + 1}`,
    v1: { openIdConnectSecurityScheme: fields },
    v03: { type: "openIdConnect", ...fields },
    scopes: scopes === undefined ? ["runs:execute"] : [],
    isOAuth: true,
  };
}
