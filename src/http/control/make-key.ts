import type { ApiKey } from "../../access/access-store.js";
import { newApiKey } from "../../access/api-key.js";
import type { Scope } from "../../access/principal.js";
import { newId } from "../../shared/ids.js";
import type { ControlDeps } from "./deps.js";

interface Wanted extends Pick<ApiKey, "kind" | "name" | "tenant"> {
  scopes: readonly Scope[];
  expiresInSeconds?: number | undefined;
}

interface MadeKey {
  kept: ApiKey;
  /** Shown this once. */
  secret: string;
  /** Nobody had heard of its tenant before. */
  tenantMade: boolean;
}

export async function makeKey(wanted: Wanted, { access, personas, clock }: ControlDeps): Promise<MadeKey> {
  const { kind, name, tenant, scopes, expiresInSeconds } = wanted;
  const now = clock.now();
  const { key: secret, hash } = newApiKey(kind);
  const kept: ApiKey = {
    id: newId(),
    ...{ kind, name, tenant, scopes: [...new Set(scopes)], createdAt: now },
    expiresAt: expiresInSeconds === undefined ? null : now + expiresInSeconds * 1000,
    revokedAt: null,
  };
  const { tenantMade } = await access.keys.createKey({ key: kept, hash });
  return { kept, secret, tenantMade: tenantMade && personas.inTenant(tenant).length === 0 };
}
