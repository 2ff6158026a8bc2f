/**
 * The same JSON, in which half of a surrogate pair has become U+FFFD: an escape in a configuration can make one, and nothing
 * that holds it could be signed.
 */
export function wellFormed<Json>(value: Json): Json {
  if (typeof value === "string") return Buffer.from(value, "utf8").toString("utf8") as Json;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(wellFormed) as Json;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, wellFormed(inner)])) as Json;
}
