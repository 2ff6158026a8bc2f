/** Bounds of what a request may carry, besides the size of its body. Each is far above what honest clients send. */
export const LIMITS = {
  /** Characters of an id that a client makes up: message, context. */
  idLength: 256,
  /** Characters of file names, media types and the like. */
  labelLength: 512,
  uriLength: 8_192,
  parts: 1_000,
  extensions: 64,
  referenceTaskIds: 64,
  outputModes: 64,
  /** Levels of nesting in metadata and data parts. */
  depth: 64,
  /** Characters of a JSON-RPC id. */
  requestIdLength: 256,
  /** Hops that a caller may claim to have behind it. */
  hops: 1_000_000,
  /** Messages of the history that an answer carries when the client names no number. */
  history: 1_000,
} as const;
