import type { Tenant, TenantStore } from "../../access/access-store.js";
import { NuncioError } from "../../shared/errors.js";
import { all, one, type Steps } from "../sql/command.js";
import { sql } from "../sql/statement.js";
import type { Database } from "../sql-ledger.js";

const insertTenant = sql<{ name: string }>(`INSERT INTO tenants (name, created_at) VALUES (:name, :createdAt)
  ON CONFLICT (name) DO NOTHING RETURNING name`);
const allTenants = sql<{ name: string; created_at: number }>("SELECT name, created_at FROM tenants ORDER BY name");

/** Whether it was not there before. */
export function* makeTenant({ name, createdAt }: Tenant): Steps<boolean> {
  if (name === "default") return false;
  return (yield* one(insertTenant, { name, createdAt })) !== undefined;
}

export function sqlTenantStore({ write, read }: Database): TenantStore {
  return {
    createTenant: (tenant) =>
      write(function* () {
        if (yield* makeTenant(tenant)) return;
        throw new NuncioError("conflict", `the tenant ${tenant.name} is there already`, {
          field: "name",
          hint: "`nuncio tenant list` shows the tenants",
        });
      }),
    listTenants: () =>
      read(function* () {
        return (yield* all(allTenants, {})).map(({ name, created_at }) => ({ name, createdAt: created_at }));
      }),
  };
}
