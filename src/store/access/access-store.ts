import type { AccessStore } from "../../access/access-store.js";
import type { Database } from "../sql-ledger.js";
import { sqlKeyStore } from "./api-keys.js";
import { sqlSigningKeyStore } from "./signing-keys.js";
import { sqlTenantStore } from "./tenants.js";

export const sqlAccessStore = (database: Database): AccessStore => ({
  ...sqlKeyStore(database),
  ...sqlTenantStore(database),
  ...sqlSigningKeyStore(database),
});
