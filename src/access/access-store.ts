import type { SigningKeyStore } from "./agent-tokens/signing-key.js";
import type { Scope } from "./principal.js";

/** An API key or a session token as it is kept: the secret itself is shown once, when it is made. */
export interface ApiKey {
  id: string;
  /** A key lasts until it is revoked, unless it was made for less; a session ends by itself. */
  kind: "key" | "session";
  /** Name of the caller; two keys with one name are one principal. */
  name: string;
  tenant: string;
  scopes: readonly Scope[];
  createdAt: number;
  expiresAt: number | null;
  revokedAt: number | null;
}

export interface KeyStore {
  /** Makes the tenant of the key as well, where nobody has made it yet, and says so. */
  createKey(command: { key: ApiKey; hash: string }): Promise<{ tenantMade: boolean }>;
  listKeys(): Promise<ApiKey[]>;
  /** `not_found` when there is no such key; revoking twice is no error. */
  revokeKey(command: { id: string; now: number }): Promise<void>;
  /** The key with this SHA-256 (hex), revoked and expired ones too. */
  keyByHash(hash: string): Promise<ApiKey | null>;
  /** Keys whose id sorts behind this one, at most `limit`, by id: ids rise with the time at which keys are made. */
  keysAfter(query: { after: string; limit: number }): Promise<{ key: ApiKey; hash: string }[]>;
  /** Ids of keys that were revoked at this time (ms) or later. */
  revokedSince(since: number): Promise<string[]>;
  /** Called with the id of each key that is revoked from now on, on any node, before its revocation is confirmed here. */
  onRevoked(listener: (keyId: string) => void): () => void;
  /** Called when news of another node may have been missed. */
  onMissed(listener: () => void): () => void;
}

/** A tenant that was made, or that a key was made for. */
export interface Tenant {
  name: string;
  createdAt: number;
}

export interface TenantStore {
  /** `conflict` when it is there already. */
  createTenant(tenant: Tenant): Promise<void>;
  /** In the order of their names. */
  listTenants(): Promise<Tenant[]>;
}

export interface AccessStore extends KeyStore, TenantStore, SigningKeyStore {}
