import { z } from "zod";
import { keyOf } from "../../key-json.js";
import { makeKey } from "../../make-key.js";
import { operation } from "../../operation.js";
import { newTenantName } from "../../schema/fields.js";
import { apiKey, keyName, scopes } from "../../schema/key.js";

const TEN_YEARS = 10 * 366 * 86_400;

/** Answers with the key itself, which is shown this once; only its hash is kept. */
export const createKey = operation({
  method: "POST",
  path: "/v1/keys",
  status: 201,
  request: z.strictObject({
    name: keyName,
    tenant: newTenantName.default("default"),
    scopes,
    expiresInSeconds: z.number().int().min(1).max(TEN_YEARS, "must be at most ten years").optional(),
  }),
  response: apiKey.extend({ key: z.string(), tenantMade: z.boolean() }),
  async handle(wanted, deps) {
    const { kept, secret, tenantMade } = await makeKey({ ...wanted, kind: "key" }, deps);
    return { ...keyOf(kept), key: secret, tenantMade };
  },
});
