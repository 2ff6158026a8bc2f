const encoder = new TextEncoder();

/** The longest beginning of `text` that has at most `maxBytes` bytes in UTF-8; no character is split. */
export function cutText(text: string, maxBytes: number): string {
  // No UTF-16 unit takes more than three bytes.
  if (text.length * 3 <= maxBytes) return text;
  return text.slice(0, encoder.encodeInto(text, new Uint8Array(maxBytes)).read);
}
