/**
 * Characters that do something to whoever looks at a text: all control characters but tab and line feed, line and paragraph
 * separators, surrogates without a partner, and what overrides the direction of text.
 */
export const DANGEROUS = /(?![\t\n])[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}]/gu;

/** JSON that means the same, with everything dangerous written as an escape. */
export const escapeDangerous = (json: string): string =>
  json.replace(DANGEROUS, (character) => `\\u${hexOf(character)}`);

export const hexOf = (character: string): string => (character.codePointAt(0) ?? 0).toString(16).padStart(4, "0");
