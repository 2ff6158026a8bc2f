import { digestOfJson } from "../shared/digest.js";
import type { JsonValue } from "../shared/json.js";
import type { Pin } from "./pin.js";

/** By which a pin is known: another one is another review. */
export const pinDigest = (pin: Pin): string => digestOfJson(pin as unknown as JsonValue);

/** Of a card as it was reviewed. Its signatures are left out: signing the same card again makes other ones. */
export function cardDigest(card: Record<string, unknown>): string {
  const { signatures: _, ...signed } = card;
  return digestOfJson(signed as JsonValue);
}
