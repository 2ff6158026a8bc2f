import type { Grant } from "../../../plans/grant.js";
import type { JsonObject } from "../../../shared/json.js";
import { DELEGATION_EXTENSION } from "../../protocol/delegation-extension.js";
import { dialectOf } from "./dialects.js";

/** Of what the card says; it rises when that changes, not with each release: whoever has pinned the card would stop. */
const VERSION = "1.0.0";

/**
 * What a peer is told of the one thing that it may ask for (A2A 1.0, 4.4). Neither the persona nor the plan is in it, and nothing
 * that changes while the grant does not, so that its digest can be pinned.
 */
export function grantCard({ peer, skill, interfaceTenant, peerClient }: Grant, baseUrl: string): JsonObject {
  const dialect = dialectOf(peerClient);
  const description = `One prepared piece of work for ${peer}: ${skill}`;
  return {
    name: skill,
    description,
    version: VERSION,
    supportedInterfaces: [
      {
        url: baseUrl + dialect.path,
        protocolBinding: "JSONRPC",
        tenant: interfaceTenant,
        protocolVersion: "1.0",
      },
    ],
    capabilities: {
      streaming: dialect.operations.includes("stream"),
      pushNotifications: false,
      extendedAgentCard: false,
      extensions: [
        {
          uri: DELEGATION_EXTENSION,
          description: "Counts delegations from agent to agent, so that a chain of them ends",
        },
      ],
    },
    securitySchemes: {
      peer: { httpAuthSecurityScheme: { scheme: "Bearer", description: `The credential of ${peer}` } },
    },
    securityRequirements: [{ schemes: { peer: {} } }],
    defaultInputModes: ["text/plain", "application/json"],
    defaultOutputModes: ["text/plain", "application/json"],
    skills: [{ id: skill, name: skill, description, tags: [skill] }],
  };
}
