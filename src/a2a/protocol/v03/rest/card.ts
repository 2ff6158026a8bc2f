import type { JsonObject } from "../../../../shared/json.js";

/**
 * The extended card as both SDKs read it: the one for Python takes the JSON of 0.3 (5.5), the one for JavaScript the
 * ProtoJSON of its protocol buffers, which tells security schemes apart by a field that is set. Both pass over what they do
 * not know, so that each scheme says it twice.
 */
export function writeCard({ securitySchemes, ...card }: JsonObject): JsonObject {
  if (securitySchemes === undefined) return card;
  const schemes = Object.entries(securitySchemes as Record<string, JsonObject>);
  return {
    ...card,
    securitySchemes: Object.fromEntries(schemes.map(([name, scheme]) => [name, { ...scheme, ...inProto(scheme) }])),
  };
}

function inProto({ type, ...scheme }: JsonObject): JsonObject {
  switch (type) {
    case "apiKey": {
      const { in: location, ...rest } = scheme;
      return { apiKeySecurityScheme: { location: location as string, ...rest } };
    }
    case "http":
      return { httpAuthSecurityScheme: scheme };
    case "oauth2":
      return { oauth2SecurityScheme: scheme };
    case "openIdConnect":
      return { openIdConnectSecurityScheme: scheme };
    default:
      return { mtlsSecurityScheme: scheme };
  }
}
