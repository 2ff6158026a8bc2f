import { generateKeyPairSync } from "node:crypto";
import type { CardFacts } from "../../src/a2a/server/cards/facts.js";
import type { CardKeys } from "../../src/a2a/server/cards/signer.js";
import type { Persona } from "../../src/personas/persona.js";

/** A persona that everything is offered by. */
export const cardPersona: Persona = {
  name: "front-desk",
  tenant: "default",
  description: "",
  visibility: "public",
  maxConcurrent: 1,
  skills: [],
  capabilities: { allow: [], requireApproval: [] },
  streaming: true,
  push: true,
  extendedCard: true,
  followUps: true,
  runtime: { type: "scripted", rules: [] },
};

/** As of a daemon that serves JSON-RPC alone. */
export const cardFacts: CardFacts = {
  baseUrl: "https://agents.example.com",
  versions: ["1.0", "0.3"],
  version: "1.2.3",
  rest: false,
  push: true,
  security: { anonymous: false, agentTokenAudience: () => undefined, oidc: [] },
  about: {},
  limits: {
    maxRequestBytes: 1024 * 1024,
    maxPendingTasks: 10_000,
    blockingTimeoutMs: 60_000,
    maxHops: 4,
    maxOpenCalls: 10_000,
  },
};

/** As of one that serves and accepts all that there is. */
export const everything: CardFacts = {
  ...cardFacts,
  rest: true,
  grpc: "agents.example.com:443",
  defaultAgent: "front-desk",
  security: {
    anonymous: true,
    agentTokenAudience: ({ tenant, name }) => `spiffe://example.com/agents/${tenant}/${name}`,
    oidc: [
      { issuer: "https://login.example.com", audience: "nuncio", tenant: "default" },
      { issuer: "https://id.partner.example/", audience: "agents", tenant: "acme", scopes: ["runs:execute"] },
    ],
  },
  about: {
    provider: { organization: "Example", url: "https://example.com" },
    documentationUrl: "https://docs.example.com/agents",
    iconUrl: "https://example.com/icon.png",
  },
};

export const newCardKeys = (published: CardKeys["published"] = []): CardKeys => ({
  signing: generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey,
  published,
});
