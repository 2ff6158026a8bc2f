import { z } from "zod";
import type { ApiKey } from "../../../../access/access-store.js";
import { KEY_NAME, newApiKey } from "../../../../access/api-key.js";
import { SCOPES } from "../../../../access/principal.js";
import { newId } from "../../../../shared/ids.js";
import { keyOf } from "../../key-json.js";
import { operation } from "../../operation.js";
import { tenantName } from "../../schema/fields.js";
import { apiKey } from "../../schema/key.js";

const TEN_YEARS = 10 * 366 * 86_400;

/** Answers with the key itself, which is shown this once; only its hash is kept. */
export const createKey = operation({
  method: "POST",
  path: "/v1/keys",
  status: 201,
  request: z.strictObject({
    name: z.string().regex(KEY_NAME, "must be 1 to 100 letters, digits, dots, dashes, underscores or @"),
    tenant: tenantName,
    scopes: z.array(z.enum(SCOPES)).min(1).max(SCOPES.length).default(["runs:execute"]),
    expiresInSeconds: z.number().int().min(1).max(TEN_YEARS).optional(),
  }),
  response: apiKey.extend({ key: z.string() }),
  async handle({ name, tenant, scopes, expiresInSeconds }, { access, clock }) {
    const now = clock.now();
    const { key, hash } = newApiKey();
    const kept: ApiKey = {
      id: newId(),
      name,
      tenant,
      scopes: [...new Set(scopes)],
      createdAt: now,
      expiresAt: expiresInSeconds === undefined ? null : now + expiresInSeconds * 1000,
      revokedAt: null,
    };
    await access.createKey({ key: kept, hash });
    return { ...keyOf(kept), key };
  },
});
