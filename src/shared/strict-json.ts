import { hasDuplicateKeys } from "./duplicate-keys.js";
import { messageOf } from "./errors.js";

/** What was read; or a phrase that follows the name of where it came from, and quotes nothing of it. */
export type StrictJson = { value: unknown } | { problem: string };

/**
 * JSON in which no object has a key twice. Which of two counts is up to the reader: what somebody reviewed and what we
 * take might be two things.
 */
export function strictJson(text: string): StrictJson {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: `is not JSON${placeOf(error, text)}` };
  }
  return hasDuplicateKeys(text) ? { problem: "has the same field twice" } : { value };
}

/** Of what the parser says the place alone: it quotes the text, and there may be a secret in that. */
function placeOf(error: unknown, text: string): string {
  const position = /at position (\d+)/.exec(messageOf(error))?.[1];
  if (position === undefined) return "";
  const lines = text.slice(0, Number(position)).split("\n");
  return `: see line ${lines.length}, column ${(lines.at(-1) ?? "").length + 1}`;
}
