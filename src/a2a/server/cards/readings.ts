import { canonicalJson } from "../../../shared/canonical-json.js";
import type { JsonObject, JsonValue } from "../../../shared/json.js";
import { inShape, type Spellings } from "./card.js";
import type { Shape } from "./shape.js";

/**
 * What verifiers take for the signed text of a card, each text once. There is not one of them:
 *
 * - all of the document but its signatures, in canonical form: whoever knows no more of a card than that it is JSON;
 * - the fields of 1.0 without defaults, which is what 1.0 (8.4.1) asks for, and the same without anything empty, which is
 *   what the official libraries do. A pure card of ours holds no default, so that all of these are mostly one text;
 * - the official JavaScript library loses the security schemes of a card that it has read (1.3.0), when it signs and when it
 *   verifies. Whoever takes them out of a card in transit thereby gains nothing but that a call without a credential fails;
 * - 0.3 says nothing of a canonical form. The reference client takes the fields of 0.3 without the defaults of its model.
 *
 * The Python libraries write ASCII, where the canonical form has the characters themselves.
 */
export function readingsOf(spellings: Spellings, shape: Shape): string[] {
  const readings = [canonicalJson(inShape(spellings, shape))];
  if (shape !== "0.3") {
    const text = canonicalJson(withoutEmpty(spellings.v1));
    const { securitySchemes: _, ...asReadByJavaScript } = spellings.v1;
    readings.push(canonicalJson(spellings.v1), text, inAscii(text), canonicalJson(withoutEmpty(asReadByJavaScript)));
  }
  if (shape !== "1.0") readings.push(inAscii(canonicalJson(withoutEmpty(withoutDefaultsOfV03(spellings.v03)))));
  return [...new Set(readings)];
}

/** Empty text, lists and maps go, and what has nothing left but those; undefined when nothing is left at all. */
function withoutEmpty(value: JsonValue): JsonValue | undefined {
  if (value === "" || value === null) return undefined;
  if (typeof value !== "object") return value;
  if (Array.isArray(value)) {
    const items = value.map(withoutEmpty).filter((item) => item !== undefined);
    return items.length === 0 ? undefined : items;
  }
  const fields = Object.entries(value)
    .map(([key, inner]) => [key, withoutEmpty(inner)] as const)
    .filter((field): field is readonly [string, JsonValue] => field[1] !== undefined);
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
}

function withoutDefaultsOfV03({
  protocolVersion: _,
  preferredTransport: _also,
  ...card
}: Spellings["v03"]): JsonObject {
  const schemes = Object.entries(card.securitySchemes as Record<string, JsonObject>);
  return {
    ...card,
    securitySchemes: Object.fromEntries(schemes.map(([name, { type: _type, ...scheme }]) => [name, scheme])),
  };
}

const inAscii = (json: string): string =>
  json.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
