import { describe, expect, test } from "vitest";
import { newId } from "../shared/ids.js";
import type { AccessStore, ApiKey } from "./access-store.js";
import { newApiKey } from "./api-key.js";

export type OpenAccessStore = () => Promise<{ store: AccessStore; close(): Promise<void> }>;

/** What every store of keys must do, whatever it stands on: each implementation runs this suite. */
export function describeAccessStore(name: string, open: OpenAccessStore): void {
  const it = test.extend<{ store: AccessStore }>({
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures this one needs
    store: async ({}, use) => {
      const { store, close } = await open();
      await use(store);
      await close();
    },
  });

  describe(name, () => {
    it("E5 finds a key by its hash, as it was made", async ({ store }) => {
      const { key, hash } = await made(store, { expiresAt: 2_000, scopes: ["tasks:read", "runs:execute"] });
      await made(store);
      expect(await store.keyByHash(hash)).toEqual(key);
    });

    it("E5 a hash that belongs to no key finds none, however close it is", async ({ store }) => {
      const { hash } = await made(store);
      for (const wrong of [newApiKey().hash, hash.toUpperCase(), hash.slice(1), ""]) {
        expect(await store.keyByHash(wrong)).toBeNull();
      }
    });

    it("E5 lists every key in the order in which they were made, revoked and expired ones too", async ({ store }) => {
      expect(await store.listKeys()).toEqual([]);
      const keys = [await made(store), await made(store, { expiresAt: 1 }), await made(store, { tenant: "acme" })];
      await store.revokeKey({ id: keys[0]?.key.id as string, now: 50 });
      expect((await store.listKeys()).map(({ id }) => id)).toEqual(keys.map(({ key }) => key.id));
    });

    it("E5 never gives a hash back", async ({ store }) => {
      const { hash } = await made(store);
      expect(JSON.stringify([await store.listKeys(), await store.keyByHash(hash)])).not.toContain(hash);
    });

    it("E5 a revoked key is still known, with the time of its revocation", async ({ store }) => {
      const { key, hash } = await made(store);
      expect(await store.keyByHash(hash)).toEqual(key);
      await store.revokeKey({ id: key.id, now: 50 });
      expect(await store.keyByHash(hash)).toEqual({ ...key, revokedAt: 50 });
    });

    it("E5 revoking twice is no error, and the first time stands", async ({ store }) => {
      const { key, hash } = await made(store);
      await store.revokeKey({ id: key.id, now: 50 });
      await store.revokeKey({ id: key.id, now: 90 });
      expect((await store.keyByHash(hash))?.revokedAt).toBe(50);
    });

    it("E5 revoking touches no other key, not even one of the same name", async ({ store }) => {
      const old = await made(store, { name: "billing" });
      const rotated = await made(store, { name: "billing" });
      await store.revokeKey({ id: old.key.id, now: 50 });
      expect(await store.keyByHash(rotated.hash)).toEqual(rotated.key);
    });

    it("a key that is not there cannot be revoked", async ({ store }) => {
      await expect(store.revokeKey({ id: newId(), now: 1 })).rejects.toMatchObject({ code: "not_found" });
    });

    it("no two keys have one id or one hash", async ({ store }) => {
      const { key, hash } = await made(store);
      await expect(store.createKey({ key, hash: newApiKey().hash })).rejects.toThrow();
      await expect(store.createKey({ key: { ...key, id: newId() }, hash })).rejects.toThrow();
      expect(await store.listKeys()).toEqual([key]);
    });

    it("a key can be made under a hash that has been asked for in vain", async ({ store }) => {
      const { hash } = newApiKey();
      expect(await store.keyByHash(hash)).toBeNull();
      await store.createKey({ key: keyOf({}), hash });
      expect(await store.keyByHash(hash)).not.toBeNull();
    });
  });
}

async function made(store: AccessStore, over: Partial<ApiKey> = {}): Promise<{ key: ApiKey; hash: string }> {
  const { hash } = newApiKey();
  const key = keyOf(over);
  await store.createKey({ key, hash });
  return { key, hash };
}

const keyOf = (over: Partial<ApiKey>): ApiKey => ({
  id: newId(),
  name: "billing-app",
  tenant: "default",
  scopes: ["runs:execute"],
  createdAt: 10,
  expiresAt: null,
  revokedAt: null,
  ...over,
});
