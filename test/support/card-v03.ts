import { z } from "zod";

const text = z.string();
const scheme = z.union([
  z.looseObject({ type: z.literal("http"), scheme: text, description: text.optional(), bearerFormat: text.optional() }),
  z.looseObject({
    type: z.literal("apiKey"),
    in: z.enum(["cookie", "header", "query"]),
    name: text,
    description: text.optional(),
  }),
  z.looseObject({ type: z.literal("openIdConnect"), openIdConnectUrl: z.url(), description: text.optional() }),
]);
const security = z.array(z.record(text, z.array(text)));

/**
 * What a client of 0.3 that checks its input demands of a card (A2A 0.3, 5.5): every field that is required, and each that
 * it knows in its type. Fields of others are none of its business.
 */
export const cardV03 = z
  .looseObject({
    protocolVersion: z.literal("0.3.0"),
    name: text.min(1),
    description: text.min(1),
    url: z.url(),
    preferredTransport: z.enum(["JSONRPC", "HTTP+JSON", "GRPC"]),
    additionalInterfaces: z.array(z.looseObject({ url: text.min(1), transport: text })),
    version: text,
    provider: z.looseObject({ organization: text, url: text }).optional(),
    documentationUrl: text.optional(),
    iconUrl: text.optional(),
    capabilities: z.looseObject({
      streaming: z.boolean(),
      pushNotifications: z.boolean(),
      stateTransitionHistory: z.boolean(),
      extensions: z.array(
        z.looseObject({
          uri: text,
          description: text.optional(),
          required: z.boolean().optional(),
          params: z.record(text, z.unknown()).optional(),
        }),
      ),
    }),
    securitySchemes: z.record(text, scheme),
    security,
    defaultInputModes: z.array(text).min(1),
    defaultOutputModes: z.array(text).min(1),
    skills: z
      .array(
        z.looseObject({
          id: text,
          name: text,
          description: text,
          tags: z.array(text).min(1),
          examples: z.array(text).optional(),
          inputModes: z.array(text).optional(),
          outputModes: z.array(text).optional(),
          security: security.optional(),
        }),
      )
      .min(1),
    supportsAuthenticatedExtendedCard: z.boolean(),
    signatures: z
      .array(z.looseObject({ protected: text, signature: text, header: z.record(text, z.unknown()).optional() }))
      .optional(),
  })
  // 5.6: the main URL speaks the preferred transport, and stands among the interfaces, too.
  .refine(({ url, preferredTransport, additionalInterfaces }) =>
    additionalInterfaces.some((one) => one.url === url && one.transport === preferredTransport),
  )
  .refine(({ security, securitySchemes }) =>
    security.every((one) => Object.keys(one).every((name) => Object.hasOwn(securitySchemes, name))),
  );
