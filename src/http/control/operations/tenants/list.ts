import { z } from "zod";
import { operation } from "../../operation.js";
import { toOptionalTimestamp } from "../../schema/fields.js";
import { tenant } from "../../schema/tenant.js";

/** Every tenant that there is: made by name, or because a persona or a key is in it; and the default one. */
export const listTenants = operation({
  method: "GET",
  path: "/v1/tenants",
  request: z.strictObject({}),
  response: z.object({ tenants: z.array(tenant) }),
  async handle(_request, { access, personas, clock }) {
    const [made, keys] = await Promise.all([access.tenants.listTenants(), access.keys.listKeys()]);
    const now = clock.now();
    const good = keys.filter(
      ({ revokedAt, expiresAt }) => revokedAt === null && (expiresAt === null || expiresAt > now),
    );
    const createdAt = new Map(made.map((one) => [one.name, one.createdAt]));
    const names = new Set(["default", ...createdAt.keys(), ...personas.all().map((persona) => persona.tenant)]);
    const tenants = [...names].sort().map((name) => ({
      name,
      createdAt: toOptionalTimestamp(createdAt.get(name) ?? null),
      personas: personas.inTenant(name).length,
      keys: good.filter((key) => key.tenant === name).length,
    }));
    return { tenants };
  },
});
