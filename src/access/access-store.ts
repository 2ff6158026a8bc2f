import type { Scope } from "./principal.js";

/** An API key as it is kept: the key itself is shown once, when it is made. */
export interface ApiKey {
  id: string;
  /** Name of the caller; two keys with one name are one principal. */
  name: string;
  tenant: string;
  scopes: readonly Scope[];
  createdAt: number;
  expiresAt: number | null;
  revokedAt: number | null;
}

export interface AccessStore {
  createKey(command: { key: ApiKey; hash: string }): Promise<void>;
  listKeys(): Promise<ApiKey[]>;
  /** `not_found` when there is no such key; revoking twice is no error. */
  revokeKey(command: { id: string; now: number }): Promise<void>;
  /** The key with this SHA-256 (hex), revoked and expired ones too. */
  keyByHash(hash: string): Promise<ApiKey | null>;
  /** Called with the id of each key that is revoked from now on, on any node, before its revocation is confirmed here. */
  onRevoked(listener: (keyId: string) => void): () => void;
  /** Called when a revocation on another node may have been missed. */
  onMissed(listener: () => void): () => void;
}
