import { isAbsolute } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { readCard } from "../a2a/client/card/card.js";
import { pinnedProblem } from "../outbound/pinned.js";
import { parseTarget } from "../outbound/target.js";
import { messageOf } from "../shared/errors.js";
import { cardKeys } from "./card-keys.js";
import type { Pin } from "./pin.js";
import { cardDigest } from "./pin-digest.js";
import { spokenInterfaces } from "./spoken-interfaces.js";

/** A field of the pin, and what is wrong with it. */
export interface PinProblem {
  field: string;
  problem: string;
}

const AT_MOST_CARD_BYTES = 512 * 1024;

/**
 * What in a pin contradicts itself, its card, or what a peer may be; null for a pin that can be taken. Nothing is looked up.
 */
export function pinProblem(pin: Pin): PinProblem | null {
  return urlProblem(pin) ?? filesProblem(pin) ?? cardProblem(pin) ?? interfaceProblem(pin);
}

function urlProblem(pin: Pin): PinProblem | null {
  for (const field of ["endpoint", "cardUrl"] as const) {
    try {
      const target = parseTarget(pin[field]);
      if (target.url.href !== new URL(pin[field]).href)
        return { field, problem: "must have no fragment, and a plain host" };
      const problem = pinnedProblem(target, pin);
      if (problem !== null) return { field: problem.startsWith("the URL") ? field : "addresses", problem };
    } catch (error) {
      return { field, problem: messageOf(error) };
    }
  }
  if (new Set(pin.addresses).size < pin.addresses.length) return { field: "addresses", problem: "names one twice" };
  if (!isAbsolute(pin.credentialFile)) return { field: "credentialFile", problem: "must be an absolute path" };
  return null;
}

function filesProblem({ files }: Pin): PinProblem | null {
  const bad = files.find((path) => !isCleanPath(path));
  if (bad !== undefined) {
    const problem = `${JSON.stringify(bad)} is not a plain path within the workspace, such as src/app.ts`;
    return { field: "files", problem };
  }
  return new Set(files).size < files.length ? { field: "files", problem: "names one twice" } : null;
}

/** As a snapshot names its files: one spelling, relative, without a way out. */
function isCleanPath(path: string): boolean {
  if (/[\p{Cc}\p{Surrogate}\\]/u.test(path) || path.length > 1024) return false;
  return path.split("/").every((segment) => segment !== "" && segment !== "." && segment !== "..");
}

function cardProblem(pin: Pin): PinProblem | null {
  const { card } = pin;
  try {
    readCard(card);
    if (JSON.stringify(card).length > AT_MOST_CARD_BYTES) return { field: "card", problem: "is larger than 512 KiB" };
    if (cardDigest(card) !== pin.cardDigest)
      return { field: "cardDigest", problem: "is not that of the card in the pin" };
  } catch (error) {
    return { field: "card", problem: `is no card that can be read: ${messageOf(error)}` };
  }
  if (!isDeepStrictEqual(cardKeys(card), pin.cardKeys)) {
    return { field: "cardKeys", problem: "are not those of the card in the pin" };
  }
  const skills = Array.isArray(card.skills) ? card.skills.map((skill: { id?: unknown } | null) => skill?.id) : [];
  if (!skills.includes(pin.skill)) {
    const there = skills.slice(0, 10).map((id) => JSON.stringify(String(id).slice(0, 60)));
    return { field: "skill", problem: `is not in the card, which has ${there.join(", ") || "none"}` };
  }
  return null;
}

function interfaceProblem(pin: Pin): PinProblem | null {
  const card = readCard(pin.card);
  const here = spokenInterfaces(card, pin.endpoint);
  if (here.length === 0) {
    return { field: "endpoint", problem: "is not that of a 1.0 JSONRPC interface in the card, which alone is spoken" };
  }
  if (!here.some(({ tenant }) => tenant === pin.tenant)) {
    const declared = here.map(({ tenant }) => (tenant === null ? "none" : JSON.stringify(tenant.slice(0, 60))));
    return { field: "tenant", problem: `must be that of the interface, which declares ${declared.join(" or ")}` };
  }
  if (pin.supports.streaming && !card.streaming) {
    return { field: "supports.streaming", problem: "is not what the card says: it offers no streams" };
  }
  return null;
}
