import type { JsonValue } from "../../shared/json.js";

/** Fetches a document of an identity provider, within bounds of time and size. Rejects when it cannot be had. */
export type FetchJson = (url: string) => Promise<JsonValue>;
