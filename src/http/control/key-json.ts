import type { ApiKey } from "../../access/access-store.js";
import { toOptionalTimestamp, toTimestamp } from "./schema/fields.js";
import type { ApiKeyJson } from "./schema/key.js";

export const keyOf = ({ id, name, tenant, scopes, createdAt, expiresAt, revokedAt }: ApiKey): ApiKeyJson => ({
  id,
  name,
  tenant,
  scopes: [...scopes],
  createdAt: toTimestamp(createdAt),
  expiresAt: toOptionalTimestamp(expiresAt),
  revokedAt: toOptionalTimestamp(revokedAt),
});
