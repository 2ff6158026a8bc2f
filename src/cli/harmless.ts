/**
 * Text of agents and callers, for a terminal. Control characters could move the cursor, set the clipboard or rewrite
 * what stands above; directional marks could show another text than the one that is there. Both are made visible.
 */

/**
 * All control characters but tab and line feed, line and paragraph separators, surrogates without a partner, and what
 * overrides the direction of text.
 */
const DANGEROUS = /(?![\t\n])[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}]/gu;

export const harmless = (text: string): string => text.replace(DANGEROUS, visible);

/** The same for one line of a table or sentence: what would break it becomes a space. */
export const harmlessLine = (text: string): string => harmless(text.replace(/\s+/g, " ").trim());

/** JSON for a terminal: means the same, with everything dangerous written as an escape. */
export const harmlessJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(DANGEROUS, (character) => `\\u${hex(character)}`);

/** U+2400 and on are pictures of the C0 controls. */
function visible(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  return `<U+${hex(character).toUpperCase()}>`;
}

const hex = (character: string): string => (character.codePointAt(0) ?? 0).toString(16).padStart(4, "0");
