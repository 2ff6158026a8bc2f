/*
 * `s1.KEY.DATA`: the format, the id of the key, and base64url of nonce, ciphertext and tag. The id stands in the clear, so
 * that it can be seen what a key is still needed for.
 */
const FORMAT = "s1";
const SHAPE = /^s1\.([A-Za-z0-9_-]{1,40})\.([A-Za-z0-9_-]+)$/;

export interface SealedText {
  keyId: string;
  data: Buffer;
}

export const writeSealed = ({ keyId, data }: SealedText): string => `${FORMAT}.${keyId}.${data.toString("base64url")}`;

/** Null when the text is not sealed, or in a way that this version does not know. */
export function readSealed(text: string): SealedText | null {
  const found = SHAPE.exec(text);
  return found === null ? null : { keyId: found[1] as string, data: Buffer.from(found[2] as string, "base64url") };
}

/** Which key opens it; null when the text is not sealed. */
export const keyIdOf = (text: string): string | null => SHAPE.exec(text)?.[1] ?? null;
