import { DANGEROUS, escapeDangerous, hexOf } from "../shared/dangerous-characters.js";

/**
 * Text of agents and callers, for a terminal. Control characters could move the cursor, set the clipboard or rewrite
 * what stands above; directional marks could show another text than the one that is there. Both are made visible.
 */

export const harmless = (text: string): string => text.replace(DANGEROUS, visible);

/** The same for one line of a table or sentence: what would break it becomes a space. */
export const harmlessLine = (text: string): string => harmless(text.replace(/\s+/g, " ").trim());

/** JSON for a terminal: means the same, with everything dangerous written as an escape. */
export const harmlessJson = (value: unknown): string => escapeDangerous(JSON.stringify(value, null, 2));

/** U+2400 and on are pictures of the C0 controls. */
function visible(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  return `<U+${hexOf(character).toUpperCase()}>`;
}
