import { isDeepStrictEqual } from "node:util";
import { isLoopback, plainAddress } from "../outbound/pinned.js";
import { cardKeys } from "./card-keys.js";
import type { Pin } from "./pin.js";
import { cardDigest } from "./pin-digest.js";

/** A peer as it is found now. */
export interface FoundPeer {
  credentialDigest: string;
  /** What its names resolve to. */
  addresses: readonly string[];
  /** Null where it was not asked for, since something else differs already. */
  card: Record<string, unknown> | null;
}

/** One thing in which a peer is not what was pinned. `before` and `after` are JSON, cut; null where there is nothing. */
export interface Difference {
  what: "card" | "card_keys" | "addresses" | "credential";
  /** Within the card, such as `skills[0].description`; null for the others. */
  path: string | null;
  before: string | null;
  after: string | null;
}

export interface Drift {
  differences: readonly Difference[];
  /** How many more there are. */
  leftOut: number;
}

const MAX_DIFFERENCES = 50;
const MAX_TEXT = 300;

/** In what a peer differs from its pin; null when in nothing. */
export function driftOf(pin: Pin, found: FoundPeer): Drift | null {
  const differences: Difference[] = [];
  if (pin.credentialDigest !== found.credentialDigest) {
    differences.push(difference("credential", null, pin.credentialDigest, found.credentialDigest));
  }
  if (found.addresses.some((address) => !isPinned(address, pin))) {
    differences.push(difference("addresses", null, pin.addresses, found.addresses));
  }
  if (found.card !== null) {
    const keys = cardKeys(found.card);
    if (!isDeepStrictEqual(keys, pin.cardKeys)) differences.push(difference("card_keys", null, pin.cardKeys, keys));
    if (cardDigest(found.card) !== pin.cardDigest) differences.push(...cardDifferences(pin.card, found.card));
  }
  if (differences.length === 0) return null;
  const shown = differences.slice(0, MAX_DIFFERENCES);
  return { differences: shown, leftOut: differences.length - shown.length };
}

/** This machine has many addresses, and they all lead to it. */
const isPinned = (address: string, pin: Pin): boolean =>
  pin.addresses.includes(plainAddress(address) ?? "") || (pin.local && isLoopback(address));

function cardDifferences(before: Record<string, unknown>, after: Record<string, unknown>): Difference[] {
  const { signatures: _, ...reviewed } = before;
  const { signatures: __, ...now } = after;
  const found = [...compare(reviewed, now, "")];
  // A pin whose digest is not that of its card was made by nobody's review.
  return found.length > 0 ? found : [difference("card", "", "another card than the one in the pin", now)];
}

function* compare(before: unknown, after: unknown, path: string): Generator<Difference> {
  if (isDeepStrictEqual(before, after)) return;
  if (isObject(before) && isObject(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      yield* compare(own(before, key), own(after, key), `${path}${path === "" ? "" : "."}${shortKey(key)}`);
    }
    return;
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    for (let at = 0; at < Math.max(before.length, after.length); at++) {
      yield* compare(before[at], after[at], `${path}[${at}]`);
    }
    return;
  }
  yield difference("card", path, before, after);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const own = (object: Record<string, unknown>, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined;

const shortKey = (key: string): string => (key.length > 100 ? `${key.slice(0, 100)}…` : key);

const difference = (what: Difference["what"], path: string | null, before: unknown, after: unknown): Difference => ({
  what,
  path,
  before: shown(before),
  after: shown(after),
});

function shown(value: unknown): string | null {
  if (value === undefined) return null;
  const text = JSON.stringify(value);
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

/** In a few words, for a log line or a reason. */
export function driftText({ differences, leftOut }: Drift): string {
  const places = differences.map(({ what, path }) => (path === null || path === "" ? WORDS[what] : `card ${path}`));
  const few = places.slice(0, 5);
  const more = places.length - few.length + leftOut;
  return `${few.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

const WORDS: Record<Difference["what"], string> = {
  card: "card",
  card_keys: "keys of the card",
  addresses: "addresses",
  credential: "credential",
};
