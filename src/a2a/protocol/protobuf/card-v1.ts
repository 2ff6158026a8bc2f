import { many, mapOf, message, oneof, optional } from "./table.js";

/** The agent card of A2A 1.0 (4.4.1), for the one operation that answers with it. */

const securityRequirement = message("SecurityRequirement", {
  schemes: [1, mapOf(message("StringList", { list: [1, many("string")] }))],
});

const scopes = mapOf("string");

const flows = message(
  "OAuthFlows",
  oneof({
    authorizationCode: [
      1,
      message("AuthorizationCodeOAuthFlow", {
        authorizationUrl: [1, "string"],
        tokenUrl: [2, "string"],
        refreshUrl: [3, "string"],
        scopes: [4, scopes],
        pkceRequired: [5, "bool"],
      }),
    ],
    clientCredentials: [
      2,
      message("ClientCredentialsOAuthFlow", {
        tokenUrl: [1, "string"],
        refreshUrl: [2, "string"],
        scopes: [3, scopes],
      }),
    ],
    deviceCode: [
      5,
      message("DeviceCodeOAuthFlow", {
        deviceAuthorizationUrl: [1, "string"],
        tokenUrl: [2, "string"],
        refreshUrl: [3, "string"],
        scopes: [4, scopes],
      }),
    ],
  }),
);

const description = { description: [1, "string"] } as const;

const securityScheme = message(
  "SecurityScheme",
  oneof({
    apiKeySecurityScheme: [
      1,
      message("APIKeySecurityScheme", { ...description, location: [2, "string"], name: [3, "string"] }),
    ],
    httpAuthSecurityScheme: [
      2,
      message("HTTPAuthSecurityScheme", { ...description, scheme: [2, "string"], bearerFormat: [3, "string"] }),
    ],
    oauth2SecurityScheme: [
      3,
      message("OAuth2SecurityScheme", { ...description, flows: [2, flows], oauth2MetadataUrl: [3, "string"] }),
    ],
    openIdConnectSecurityScheme: [
      4,
      message("OpenIdConnectSecurityScheme", { ...description, openIdConnectUrl: [2, "string"] }),
    ],
    mtlsSecurityScheme: [5, message("MutualTlsSecurityScheme", description)],
  }),
);

const skill = message("AgentSkill", {
  id: [1, "string"],
  name: [2, "string"],
  description: [3, "string"],
  tags: [4, many("string")],
  examples: [5, many("string")],
  inputModes: [6, many("string")],
  outputModes: [7, many("string")],
  securityRequirements: [8, many(securityRequirement)],
});

export const agentCard = message("AgentCard", {
  name: [1, "string"],
  description: [2, "string"],
  supportedInterfaces: [
    3,
    many(
      message("AgentInterface", {
        url: [1, "string"],
        protocolBinding: [2, "string"],
        tenant: [3, "string"],
        protocolVersion: [4, "string"],
      }),
    ),
  ],
  provider: [4, message("AgentProvider", { url: [1, "string"], organization: [2, "string"] })],
  version: [5, "string"],
  documentationUrl: [6, optional("string")],
  capabilities: [
    7,
    message("AgentCapabilities", {
      streaming: [1, optional("bool")],
      pushNotifications: [2, optional("bool")],
      extensions: [
        3,
        many(
          message("AgentExtension", {
            uri: [1, "string"],
            description: [2, "string"],
            required: [3, "bool"],
            params: [4, "struct"],
          }),
        ),
      ],
      extendedAgentCard: [4, optional("bool")],
    }),
  ],
  securitySchemes: [8, mapOf(securityScheme)],
  securityRequirements: [9, many(securityRequirement)],
  defaultInputModes: [10, many("string")],
  defaultOutputModes: [11, many("string")],
  skills: [12, many(skill)],
  signatures: [
    13,
    many(message("AgentCardSignature", { protected: [1, "string"], signature: [2, "string"], header: [3, "struct"] })),
  ],
  iconUrl: [14, optional("string")],
});
