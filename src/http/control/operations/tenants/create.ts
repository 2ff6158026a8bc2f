import { z } from "zod";
import { NuncioError } from "../../../../shared/errors.js";
import { operation } from "../../operation.js";
import { newTenantName, toTimestamp } from "../../schema/fields.js";
import { tenant } from "../../schema/tenant.js";

/** A conflict when there is one of that name, be it by the configuration alone. */
export const createTenant = operation({
  method: "POST",
  path: "/v1/tenants",
  status: 201,
  request: z.strictObject({ name: newTenantName }),
  response: tenant,
  async handle({ name }, { access, personas, clock }) {
    if (personas.inTenant(name).length > 0) {
      throw new NuncioError(
        "conflict",
        `the tenant ${name} is there already: personas of the configuration are in it`,
        { field: "name", hint: "`nuncio tenant list` shows the tenants" },
      );
    }
    const createdAt = clock.now();
    await access.tenants.createTenant({ name, createdAt });
    return { name, createdAt: toTimestamp(createdAt), personas: 0, keys: 0 };
  },
});
