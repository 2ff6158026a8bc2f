/** Bounds of what a request may carry, besides the size of its body. Each is far above what honest clients send. */
export const LIMITS = {
  /** Characters of an id that a client makes up: message, context. */
  idLength: 256,
  /** Characters of file names, media types and the like. */
  labelLength: 512,
  uriLength: 8_192,
  /** Characters of the URL of a push notification, and of its token or credentials. */
  pushUrlLength: 2_048,
  pushSecretLength: 4_096,
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
  /** Tasks on a page of a list, at most and by default. */
  pageSize: 100,
  defaultPageSize: 50,
  /** Characters of a token for the next page; ours are shorter. */
  pageTokenLength: 256,
  /** Messages of its history that come with each task of a list, at most and by default. */
  listedHistory: 100,
  /** Characters of JSON with which a page of a list ends early. */
  listedCharacters: 2_000_000,
  /** Messages of the history that an answer carries when the client names no number. */
  history: 1_000,
} as const;
