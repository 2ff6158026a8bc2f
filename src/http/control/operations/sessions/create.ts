import { z } from "zod";
import { keyOf } from "../../key-json.js";
import { makeKey } from "../../make-key.js";
import { operation } from "../../operation.js";
import { newTenantName } from "../../schema/fields.js";
import { apiKey, keyName, scopes } from "../../schema/key.js";

const EIGHT_HOURS = 8 * 3600;
const THIRTY_DAYS = 30 * 86_400;

/** A key that ends soon, for a person or a job: the holder is the same as that of a key of this name. */
export const createSession = operation({
  method: "POST",
  path: "/v1/sessions",
  status: 201,
  request: z.strictObject({
    name: keyName,
    tenant: newTenantName.default("default"),
    scopes,
    expiresInSeconds: z.number().int().min(1).max(THIRTY_DAYS, "must be at most 30 days").default(EIGHT_HOURS),
  }),
  response: apiKey.extend({ token: z.string(), tenantMade: z.boolean() }),
  async handle(wanted, deps) {
    const { kept, secret, tenantMade } = await makeKey({ ...wanted, kind: "session" }, deps);
    return { ...keyOf(kept), token: secret, tenantMade };
  },
});
