import type { ApiKeyJson } from "../http/control/schema/key.js";
import { harmlessLine } from "./harmless.js";
import type { Colors } from "./output.js";
import { relativeTime } from "./relative-time.js";
import { tableText } from "./table.js";

/** Keys and sessions, one a line; nothing where there are none. */
export function keysText(keys: readonly ApiKeyJson[], colors: Colors): string {
  if (keys.length === 0) return "";
  const now = Date.now();
  const rows = keys.map((key) => [
    key.id,
    key.kind,
    harmlessLine(key.name),
    harmlessLine(key.tenant),
    key.scopes.join(" "),
    validity(key, now),
    relativeTime(key.createdAt, now),
  ]);
  return tableText(["ID", "KIND", "NAME", "TENANT", "SCOPES", "VALID", "CREATED"], rows, colors);
}

function validity({ revokedAt, expiresAt }: ApiKeyJson, now: number): string {
  if (revokedAt !== null) return `revoked ${relativeTime(revokedAt, now)}`;
  if (expiresAt === null) return "until revoked";
  return Date.parse(expiresAt) <= now
    ? `expired ${relativeTime(expiresAt, now)}`
    : `ends ${relativeTime(expiresAt, now)}`;
}

/** What a new key says beside itself: a tenant that is misspelled is one that nobody is in. */
export const tenantNote = (tenant: string): string =>
  `there was no tenant ${tenant}, so it was made for this; \`nuncio tenant list\` shows them all`;
