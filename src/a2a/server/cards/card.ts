import type { Persona } from "../../../personas/persona.js";
import type { JsonObject } from "../../../shared/json.js";
import { DELEGATION_EXTENSION } from "../../protocol/delegation-extension.js";
import { descriptionOf } from "./description.js";
import type { CardFacts } from "./facts.js";
import { interfacesOf } from "./interfaces.js";
import { securityOf } from "./security.js";
import type { Shape } from "./shape.js";
import { skillsOf } from "./skills.js";
import { wellFormed } from "./well-formed.js";

/** The fields of a card that the two versions fill in different ways. */
export type CardFields = JsonObject & { capabilities: JsonObject; securitySchemes: Record<string, JsonObject> };

/** A card as each version spells it (1.0, 4.4.1; 0.3, 5.5). */
export interface Spellings {
  v1: CardFields;
  v03: CardFields;
}

/** @param more extensions that only this card declares */
export function spellCard(persona: Persona, facts: CardFacts, more: readonly JsonObject[] = []): Spellings {
  const interfaces = interfacesOf(persona, facts);
  const security = securityOf(persona, facts.security);
  const shared = sharedFields(persona, facts);
  const capabilities = {
    streaming: persona.streaming,
    pushNotifications: facts.push && persona.push,
    extensions: [DELEGATION, ...more],
  };
  const ofV03 = interfaces.filter(({ version }) => version === "0.3");
  return wellFormed({
    v1: {
      ...shared,
      ...security.v1,
      supportedInterfaces: interfaces.map(({ url, binding, version, tenant }) => ({
        url,
        protocolBinding: binding,
        ...(tenant === undefined ? {} : { tenant }),
        protocolVersion: version,
      })),
      capabilities: { ...capabilities, extendedAgentCard: persona.extendedCard },
    },
    v03: {
      ...shared,
      ...security.v03,
      protocolVersion: "0.3.0",
      url: ofV03[0]?.url ?? "",
      preferredTransport: "JSONRPC",
      additionalInterfaces: ofV03.map(({ url, binding }) => ({ url, transport: binding })),
      // A task tells what was said in it, not through which states it went.
      capabilities: { ...capabilities, stateTransitionHistory: false },
      supportsAuthenticatedExtendedCard: persona.extendedCard,
    },
  });
}

/** Fields that only one version has stand beside each other; where both have one, what they put into it does not meet. */
export function inShape({ v1, v03 }: Spellings, shape: Shape): JsonObject {
  if (shape === "1.0") return v1;
  if (shape === "0.3") return v03;
  const schemes = Object.keys(v1.securitySchemes).map((name) => [
    name,
    { ...v1.securitySchemes[name], ...v03.securitySchemes[name] },
  ]);
  return {
    ...v1,
    ...v03,
    capabilities: { ...v03.capabilities, ...v1.capabilities },
    securitySchemes: Object.fromEntries(schemes),
  };
}

function sharedFields(persona: Persona, { version, about }: CardFacts): JsonObject {
  const description = descriptionOf(persona);
  const { provider, documentationUrl, iconUrl } = about;
  return {
    name: persona.name,
    description,
    version,
    ...(provider === undefined ? {} : { provider: { ...provider } }),
    ...(documentationUrl === undefined ? {} : { documentationUrl }),
    ...(iconUrl === undefined ? {} : { iconUrl }),
    defaultInputModes: MODES,
    defaultOutputModes: MODES,
    skills: skillsOf(persona, description),
  };
}

const MODES = ["text/plain", "application/json"];

const DELEGATION = {
  uri: DELEGATION_EXTENSION,
  description: "Counts delegations from agent to agent, so that a chain of them ends",
};
