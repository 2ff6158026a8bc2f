import { plainAddress } from "../outbound/pinned.js";
import { invalidArgument } from "../shared/errors.js";
import { cardKeys } from "./card-keys.js";
import type { Pin } from "./pin.js";
import { cardDigest } from "./pin-digest.js";
import { pinProblem } from "./pin-problem.js";
import { shapedPin } from "./pin-schema.js";

/** What the operator says, besides what follows from the card. */
export type Reviewed = Omit<Pin, "schema" | "cardDigest" | "cardKeys">;

/**
 * The pin of what was reviewed.
 *
 * @throws NuncioError `invalid_argument` naming the field that contradicts the card, or is not what a peer may be
 */
export function makePin(reviewed: Reviewed): Pin {
  const pin: Pin = {
    schema: 1,
    ...reviewed,
    addresses: reviewed.addresses.map((address) => plainAddress(address) ?? address),
    cardDigest: digestOf(reviewed.card),
    cardKeys: cardKeys(reviewed.card),
  };
  const shaped = shapedPin(pin);
  const problem = "value" in shaped ? pinProblem(pin) : shaped;
  if (problem !== null) throw invalidArgument(problem.field, `${problem.field}: ${problem.problem}`);
  return pin;
}

function digestOf(card: Pin["card"]): string {
  try {
    return cardDigest(card);
  } catch (cause) {
    throw invalidArgument("card", "card: holds what JSON has no canonical form for", { cause });
  }
}
