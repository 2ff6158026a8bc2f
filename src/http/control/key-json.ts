import type { ApiKey } from "../../access/access-store.js";
import { toOptionalTimestamp, toTimestamp } from "./schema/fields.js";
import type { ApiKeyJson } from "./schema/key.js";

export const keyOf = ({ id, kind, name, tenant, scopes, createdAt, expiresAt, revokedAt }: ApiKey): ApiKeyJson => ({
  id,
  kind,
  name,
  tenant,
  scopes: [...scopes],
  createdAt: toTimestamp(createdAt),
  expiresAt: toOptionalTimestamp(expiresAt),
  revokedAt: toOptionalTimestamp(revokedAt),
});
