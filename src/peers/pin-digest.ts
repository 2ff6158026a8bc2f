import { hash } from "node:crypto";
import { canonicalJson } from "../shared/canonical-json.js";
import type { JsonValue } from "../shared/json.js";
import type { Pin } from "./pin.js";

const digestOf = (value: JsonValue): string => `sha256:${hash("sha256", canonicalJson(value), "hex")}`;

/** By which a pin is known: another one is another review. */
export const pinDigest = (pin: Pin): string => digestOf(pin as unknown as JsonValue);

/** Of a card as it was reviewed. Its signatures are left out: signing the same card again makes other ones. */
export function cardDigest(card: Record<string, unknown>): string {
  const { signatures: _, ...signed } = card;
  return digestOf(signed as JsonValue);
}
