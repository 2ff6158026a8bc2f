import { many, mapOf, message, oneof } from "./table.js";

/** The agent card of A2A 0.3 (5.5), for the one operation that answers with it. Named as in the protocol buffers. */

const security = message("Security", {
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
  }),
);

const description = { description: [1, "string"] } as const;

const securityScheme = message(
  "SecurityScheme",
  oneof({
    apiKey: [1, message("APIKeySecurityScheme", { ...description, in: [2, "string"], name: [3, "string"] })],
    http: [
      2,
      message("HTTPAuthSecurityScheme", { ...description, scheme: [2, "string"], bearerFormat: [3, "string"] }),
    ],
    oauth2: [
      3,
      message("OAuth2SecurityScheme", { ...description, flows: [2, flows], oauth2MetadataUrl: [3, "string"] }),
    ],
    openIdConnect: [4, message("OpenIdConnectSecurityScheme", { ...description, openIdConnectUrl: [2, "string"] })],
    mutualTLS: [5, message("MutualTlsSecurityScheme", description)],
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
  security: [8, many(security)],
});

export const agentCard = message("AgentCard", {
  name: [1, "string"],
  description: [2, "string"],
  url: [3, "string"],
  provider: [4, message("AgentProvider", { url: [1, "string"], organization: [2, "string"] })],
  version: [5, "string"],
  documentationUrl: [6, "string"],
  capabilities: [
    7,
    message("AgentCapabilities", {
      streaming: [1, "bool"],
      pushNotifications: [2, "bool"],
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
    }),
  ],
  securitySchemes: [8, mapOf(securityScheme)],
  security: [9, many(security)],
  defaultInputModes: [10, many("string")],
  defaultOutputModes: [11, many("string")],
  skills: [12, many(skill)],
  supportsAuthenticatedExtendedCard: [13, "bool"],
  preferredTransport: [14, "string"],
  additionalInterfaces: [15, many(message("AgentInterface", { url: [1, "string"], transport: [2, "string"] }))],
  protocolVersion: [16, "string"],
  signatures: [
    17,
    many(message("AgentCardSignature", { protected: [1, "string"], signature: [2, "string"], header: [3, "struct"] })),
  ],
});
