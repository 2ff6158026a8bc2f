import { describe, expect, test } from "vitest";
import { newId } from "../shared/ids.js";
import type { AccessStore, ApiKey, KeyStore } from "./access-store.js";
import { type SealedSigningKey, sealPurpose } from "./agent-tokens/signing-key.js";
import { newApiKey } from "./api-key.js";
import { newP256Key, thumbprint } from "./jwt/p256-key.js";

type Open<Store> = () => Promise<{ store: Store; close(): Promise<void> }>;

const withStore = <Store>(open: Open<Store>) =>
  test.extend<{ store: Store }>({
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures this one needs
    store: async ({}, use: (store: Store) => Promise<void>) => {
      const { store, close } = await open();
      await use(store);
      await close();
    },
  });

/** What every store of keys must do, whatever it stands on: each implementation runs this suite. */
export function describeKeyStore(name: string, open: Open<KeyStore>): void {
  const it = withStore(open);

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

    it("E5 keys and sessions are told apart, and found in the same way", async ({ store }) => {
      const session = await made(store, { kind: "session", createdAt: 5, expiresAt: 90 });
      expect(await store.keyByHash(session.hash)).toEqual(session.key);
      await store.revokeKey({ id: session.key.id, now: 50 });
      expect((await store.keyByHash(session.hash))?.revokedAt).toBe(50);
    });

    it("sessions that ended long ago go when the next one is made, and keys stay", async ({ store }) => {
      const old = await made(store, { kind: "session", createdAt: 0, expiresAt: 10 });
      const key = await made(store, { createdAt: 0, expiresAt: 10 });
      const recent = await made(store, { kind: "session", createdAt: 7 * 86_400_000, expiresAt: 8 * 86_400_000 });
      expect(await store.keyByHash(old.hash)).toEqual(old.key);
      const next = await made(store, { kind: "session", createdAt: 7 * 86_400_000 + 11, expiresAt: 9 * 86_400_000 });
      expect(await store.listKeys()).toEqual([key.key, recent.key, next.key]);
    });

    it("tells all keys with their hashes, a page at a time", async ({ store }) => {
      const keys = [await made(store), await made(store, { tenant: "acme" }), await made(store, { kind: "session" })];
      await store.revokeKey({ id: keys[1]?.key.id as string, now: 50 });
      const first = await store.keysAfter({ after: "", limit: 2 });
      const rest = await store.keysAfter({ after: first[1]?.key.id as string, limit: 2 });
      expect(rest).toHaveLength(1);
      expect([...first, ...rest].map(({ hash }) => hash)).toEqual(keys.map(({ hash }) => hash));
      expect(first[1]?.key).toEqual({ ...keys[1]?.key, revokedAt: 50 });
      expect(await store.keysAfter({ after: keys[2]?.key.id as string, limit: 2 })).toEqual([]);
    });

    it("E5 tells which keys were revoked since a time", async ({ store }) => {
      const [first, second] = [await made(store), await made(store), await made(store)];
      await store.revokeKey({ id: first.key.id, now: 50 });
      await store.revokeKey({ id: second.key.id, now: 60 });
      expect(await store.revokedSince(60)).toEqual([second.key.id]);
      expect((await store.revokedSince(0)).sort()).toEqual([first.key.id, second.key.id]);
      expect(await store.revokedSince(61)).toEqual([]);
    });

    it("E5 tells of a revocation before it is confirmed", async ({ store }) => {
      const { key } = await made(store);
      const heard: string[] = [];
      const stop = store.onRevoked((id) => heard.push(id));
      await store.revokeKey({ id: key.id, now: 50 });
      expect(heard).toEqual([key.id]);
      stop();
    });

    it("E5 the first key of a tenant makes it, and says so once", async ({ store }) => {
      const making = async (tenant: string) =>
        (await store.createKey({ key: keyOf({ tenant }), hash: newApiKey().hash })).tenantMade;
      expect(await making("acme")).toBe(true);
      expect(await making("acme")).toBe(false);
      expect(await making("default")).toBe(false);
    });

    it("a key can be made under a hash that has been asked for in vain", async ({ store }) => {
      const { hash } = newApiKey();
      expect(await store.keyByHash(hash)).toBeNull();
      await store.createKey({ key: keyOf({}), hash });
      expect(await store.keyByHash(hash)).not.toBeNull();
    });
  });
}

/** What else the store of access must do. */
export function describeAccessStore(name: string, open: Open<AccessStore>): void {
  describeKeyStore(`${name}, keys`, open);
  const it = withStore(open);

  describe(`${name}, tenants`, () => {
    it("E24 are listed by name, those that a key was made for as well", async ({ store }) => {
      await store.createTenant({ name: "umbrella", createdAt: 5 });
      await made(store, { tenant: "acme", createdAt: 7 });
      expect(await store.listTenants()).toEqual([
        { name: "acme", createdAt: 7 },
        { name: "umbrella", createdAt: 5 },
      ]);
    });

    it("E24 are made once", async ({ store }) => {
      await store.createTenant({ name: "acme", createdAt: 5 });
      await expect(store.createTenant({ name: "acme", createdAt: 6 })).rejects.toMatchObject({ code: "conflict" });
      await expect(store.createTenant({ name: "default", createdAt: 6 })).rejects.toMatchObject({ code: "conflict" });
      expect(await store.listTenants()).toEqual([{ name: "acme", createdAt: 5 }]);
    });
  });

  describe(`${name}, signing keys`, () => {
    it("E6 an agent has one key that signs: the first that was made, whoever makes another", async ({ store }) => {
      expect(await store.signingKey(DESK)).toBeNull();
      const offered = [signingKey(), signingKey(), signingKey()];
      const got = await Promise.all(offered.map((key) => store.firstSigningKey(key)));
      expect(new Set(got.map(({ key }) => key.kid)).size).toBe(1);
      expect(offered).toContainEqual(got[0]);
      expect(await store.signingKey(DESK)).toEqual(got[0]);
    });

    it("E6 X13 after a rotation the new key signs, and the old one counts for as long as was said", async ({
      store,
    }) => {
      const [old, next] = [signingKey({ createdAt: 10 }), signingKey({ createdAt: 100 })];
      await store.firstSigningKey(old);
      expect(await store.rotateSigningKey({ ...next, now: 100, acceptedUntil: 200 })).toEqual([old.key]);
      expect(await store.signingKey(DESK)).toEqual(next);
      const retired = { ...old.key, retiredAt: 100, acceptedUntil: 200 };
      expect(await store.signingKeysOf({ ...DESK, now: 199 })).toEqual([retired, next.key]);
      expect(await store.signingKeysOf({ ...DESK, now: 200 })).toEqual([next.key]);
    });

    it("E6 an earlier end holds, and one that was later comes earlier", async ({ store }) => {
      const keys = [10, 20, 30, 40].map((createdAt) => signingKey({ createdAt }));
      const [a, b, c, d] = keys as [SealedSigningKey, SealedSigningKey, SealedSigningKey, SealedSigningKey];
      const ends = async (now: number) =>
        (await store.signingKeysOf({ ...DESK, now })).map(({ kid, acceptedUntil }) => [kid, acceptedUntil]);
      await store.firstSigningKey(a);
      await store.rotateSigningKey({ ...b, now: 20, acceptedUntil: 500 });
      await store.rotateSigningKey({ ...c, now: 30, acceptedUntil: 900 });
      expect(await ends(30)).toEqual([
        [a.key.kid, 500],
        [b.key.kid, 900],
        [c.key.kid, null],
      ]);
      const ended: string[] = [];
      const stop = store.onRevoked((kid) => ended.push(kid));
      const before = await store.rotateSigningKey({ ...d, now: 40, acceptedUntil: 40 });
      stop();
      expect(before.map(({ kid }) => kid)).toEqual([a.key.kid, b.key.kid, c.key.kid]);
      expect(await ends(40)).toEqual([[d.key.kid, null]]);
      expect(ended.sort()).toEqual([a.key.kid, b.key.kid, c.key.kid].sort());
    });

    it("E6 rotations at the same time leave one key that signs", async ({ store }) => {
      await store.firstSigningKey(signingKey());
      const made = [signingKey(), signingKey(), signingKey()];
      await Promise.all(made.map((key) => store.rotateSigningKey({ ...key, now: 100, acceptedUntil: 200 })));
      const keys = await store.signingKeysOf({ ...DESK, now: 100 });
      expect(keys).toHaveLength(4);
      const signing = keys.filter(({ retiredAt }) => retiredAt === null);
      expect(signing).toHaveLength(1);
      expect((await store.signingKey(DESK))?.key).toEqual(signing[0]);
    });

    it("E6 keys belong to one agent of one tenant", async ({ store }) => {
      const other = { tenant: "acme", name: DESK.name };
      const [ours, theirs] = [signingKey(), signingKey(other)];
      await store.firstSigningKey(ours);
      await store.firstSigningKey(theirs);
      await store.rotateSigningKey({ ...signingKey(other), now: 100, acceptedUntil: 100 });
      expect(await store.signingKey(DESK)).toEqual(ours);
      expect(await store.signingKeysOf({ ...DESK, now: 0 })).toEqual([ours.key]);
      expect(await store.signingKeysOf({ tenant: "default", name: "else", now: 0 })).toEqual([]);
    });

    it("E6 tells which keys have changed since a time", async ({ store }) => {
      const [old, next] = [signingKey({ createdAt: 10 }), signingKey({ createdAt: 100 })];
      await store.firstSigningKey(old);
      await store.firstSigningKey(signingKey({ tenant: "acme", createdAt: 20 }));
      expect((await store.signingKeysSince(0)).map(({ tenant }) => tenant).sort()).toEqual(["acme", "default"]);
      await store.rotateSigningKey({ ...next, now: 100, acceptedUntil: 200 });
      const changed = await store.signingKeysSince(100);
      expect(changed.map(({ kid }) => kid).sort()).toEqual([old.key.kid, next.key.kid].sort());
      expect(await store.signingKeysSince(101)).toEqual([]);
    });

    it("X13 keys that ended long ago are forgotten", async ({ store }) => {
      const day = 86_400_000;
      await store.firstSigningKey(signingKey({ createdAt: 0 }));
      await store.rotateSigningKey({ ...signingKey({ createdAt: 10 }), now: 10, acceptedUntil: 20 });
      await store.rotateSigningKey({ ...signingKey({ createdAt: day }), now: day, acceptedUntil: day + 10 });
      expect(await store.signingKeysSince(0)).toHaveLength(3);
      await store.rotateSigningKey({ ...signingKey({ createdAt: day + 21 }), now: day + 21, acceptedUntil: day + 30 });
      expect(await store.signingKeysSince(0)).toHaveLength(3);
    });
  });
}

const DESK = { tenant: "default", name: "desk" };

function signingKey(over: { tenant?: string; name?: string; createdAt?: number } = {}): SealedSigningKey {
  const { publicKey } = newP256Key();
  const key = {
    ...{ ...DESK, createdAt: 0, ...over },
    ...{ kid: thumbprint(publicKey), publicKey, retiredAt: null, acceptedUntil: null },
  };
  return { key, sealed: `sealed for ${sealPurpose(key)}` };
}

async function made(store: KeyStore, over: Partial<ApiKey> = {}): Promise<{ key: ApiKey; hash: string }> {
  const { hash } = newApiKey();
  const key = keyOf(over);
  await store.createKey({ key, hash });
  return { key, hash };
}

const keyOf = (over: Partial<ApiKey>): ApiKey => ({
  id: newId(),
  kind: "key",
  name: "billing-app",
  tenant: "default",
  scopes: ["runs:execute"],
  createdAt: 10,
  expiresAt: null,
  revokedAt: null,
  ...over,
});
