/** Half of a surrogate pair, which an escape in a configuration can make, becomes U+FFFD: nothing else could be signed. */
export const wellFormed = (text: string): string => Buffer.from(text, "utf8").toString("utf8");
