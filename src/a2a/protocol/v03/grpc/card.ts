import type { JsonObject, JsonValue } from "../../../../shared/json.js";

/** The agent card, from the JSON of 0.3 (5.5) to what its protocol buffers say. */
export function writeCard({ securitySchemes, security, skills, ...card }: JsonObject): JsonObject {
  return {
    ...card,
    ...(securitySchemes === undefined ? {} : { securitySchemes: mapped(securitySchemes as JsonObject, writeScheme) }),
    ...(security === undefined ? {} : { security: (security as JsonObject[]).map(writeRequirement) }),
    ...(skills === undefined ? {} : { skills: (skills as JsonObject[]).map(writeSkill) }),
  };
}

/** JSON tells schemes apart by `type`, protocol buffers by the field that is set; of OAuth they hold one flow. */
function writeScheme(value: JsonValue): JsonValue {
  const { type, ...scheme } = value as JsonObject;
  return { [String(type)]: scheme };
}

const writeRequirement = (requirement: JsonObject): JsonObject => ({
  schemes: mapped(requirement, (list) => ({ list })),
});

function writeSkill({ security, ...skill }: JsonObject): JsonObject {
  return security === undefined ? skill : { ...skill, security: (security as JsonObject[]).map(writeRequirement) };
}

const mapped = (object: JsonObject, write: (value: JsonValue) => JsonValue): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, write(value)]));
