import { beforeEach, describe, expect, it, vi } from "vitest";
import type { ApiKey, KeyStore } from "./access-store.js";
import { KeyCache } from "./key-cache.js";

const key = (id: string): ApiKey => ({
  id,
  kind: "key",
  name: id,
  tenant: "default",
  scopes: ["runs:execute"],
  createdAt: 0,
  expiresAt: null,
  revokedAt: null,
});

/** Counts look-ups, and holds them back when told to. */
class CountingStore implements KeyStore {
  readonly rows = new Map<string, ApiKey>();
  lookUps = 0;
  gate: Promise<void> = Promise.resolve();

  async createKey(command: { key: ApiKey; hash: string }) {
    this.rows.set(command.hash, command.key);
    return { tenantMade: false };
  }
  async listKeys() {
    return [...this.rows.values()];
  }
  async keysAfter({ after, limit }: { after: string; limit: number }) {
    const rows = [...this.rows].map(([hash, row]) => ({ hash, key: row }));
    return rows.filter(({ key: { id } }) => id > after).slice(0, limit);
  }
  async revokedSince(since: number) {
    return [...this.rows.values()]
      .filter(({ revokedAt }) => revokedAt !== null && revokedAt >= since)
      .map(({ id }) => id);
  }
  readonly revoked = new Set<(keyId: string) => void>();
  readonly missed = new Set<() => void>();

  async revokeKey({ id, now }: { id: string; now: number }) {
    this.revokeSilently(id, now);
    for (const listener of this.revoked) listener(id);
  }
  /** As another node does whose word is lost. */
  revokeSilently(id: string, now: number) {
    for (const [hash, row] of this.rows) if (row.id === id) this.rows.set(hash, { ...row, revokedAt: now });
  }
  onRevoked(listener: (keyId: string) => void) {
    this.revoked.add(listener);
    return () => this.revoked.delete(listener);
  }
  onMissed(listener: () => void) {
    this.missed.add(listener);
    return () => this.missed.delete(listener);
  }
  async keyByHash(hash: string) {
    this.lookUps += 1;
    const row = this.rows.get(hash) ?? null;
    await this.gate;
    return row;
  }
}

describe("the key cache", () => {
  let store: CountingStore;
  let cache: KeyCache;

  beforeEach(async () => {
    store = new CountingStore();
    cache = new KeyCache(store, { clock: { now: () => 0 } });
    await store.createKey({ key: key("k1"), hash: "h1" });
  });

  it("looks a key up once, and a hash that is not there once, too", async () => {
    await cache.keyByHash("h1");
    expect((await cache.keyByHash("h1"))?.id).toBe("k1");
    expect(await cache.keyByHash("nothing")).toBeNull();
    expect(await cache.keyByHash("nothing")).toBeNull();
    expect(store.lookUps).toBe(2);
    expect(cache.peek("h1")?.id).toBe("k1");
  });

  it("what many ask for at the same time is looked up once", async () => {
    const found = await Promise.all(Array.from({ length: 100 }, () => cache.keyByHash("h1")));
    expect(new Set(found.map((row) => row?.id))).toEqual(new Set(["k1"]));
    expect(store.lookUps).toBe(1);
  });

  it("a key that is made here needs no look-up", async () => {
    await cache.createKey({ key: key("k2"), hash: "h2" });
    expect(cache.peek("h2")?.id).toBe("k2");
    expect(store.lookUps).toBe(0);
  });

  it("E5 where nobody else makes keys and all are known, no credential costs a look-up", async () => {
    for (let at = 0; at < 12; at++) await store.createKey({ key: key(`p${at + 10}`), hash: `page ${at}` });
    cache = new KeyCache(store, { alone: true });
    await cache.load();
    expect(cache.peek("h1")?.id).toBe("k1");
    expect(cache.peek("page 11")?.id).toBe("p21");
    for (let at = 0; at < 100; at++) expect(await cache.keyByHash(`nothing ${at}`)).toBeNull();
    await cache.createKey({ key: key("k2"), hash: "h2" });
    expect(cache.peek("h2")?.id).toBe("k2");
    await cache.revokeKey({ id: "k2", now: 7 });
    expect(cache.peek("h2")?.revokedAt).toBe(7);
    expect(store.lookUps).toBe(0);
  });

  it("where there are more keys than are known, what is not known is looked up", async () => {
    for (const id of ["k2", "k3", "k4"]) await store.createKey({ key: key(id), hash: `h${id.slice(1)}` });
    cache = new KeyCache(store, { alone: true, limit: 3 });
    await cache.load();
    for (const at of [1, 2, 3, 4]) expect((await cache.keyByHash(`h${at}`))?.id).toBe(`k${at}`);
    expect(await cache.keyByHash("nothing")).toBeNull();
    expect(store.lookUps).toBe(2);
    await cache.createKey({ key: key("k5"), hash: "h5" });
    for (const at of [1, 2, 3, 4, 5]) expect((await cache.keyByHash(`h${at}`))?.id).toBe(`k${at}`);
  });

  it("X4 where other nodes make keys, what is not known is looked up, also when all were", async () => {
    await cache.load();
    expect(cache.peek("h1")?.id).toBe("k1");
    await store.createKey({ key: key("k2"), hash: "h2" });
    expect((await cache.keyByHash("h2"))?.id).toBe("k2");
    expect(store.lookUps).toBe(1);
  });

  it("E5 a key that is revoked while all are loaded is not taken for a good one", async () => {
    const keysAfter = store.keysAfter.bind(store);
    store.keysAfter = async (query) => {
      const page = await keysAfter(query);
      if (query.after === "") await store.revokeKey({ id: "k1", now: 7 });
      return page;
    };
    await cache.load();
    expect((await cache.keyByHash("h1"))?.revokedAt).toBe(7);
  });

  it("E5 a revoked key is known as revoked by the next look-up, and listeners hear of it", async () => {
    const heard: string[] = [];
    cache.onRevoked((id) => heard.push(id));
    await cache.keyByHash("h1");
    await cache.revokeKey({ id: "k1", now: 7 });
    expect((await cache.keyByHash("h1"))?.revokedAt).toBe(7);
    expect(heard).toEqual(["k1"]);
  });

  it("E5 hears of a key that another node has revoked, also when its word was lost", async () => {
    const heard: string[] = [];
    cache.onRevoked((id) => heard.push(id));
    await cache.createKey({ key: key("k2"), hash: "h2" });
    await cache.keyByHash("h1");
    store.revokeSilently("k1", 7);
    expect(cache.peek("h1")?.revokedAt).toBeNull();
    for (const listener of store.missed) listener();
    await vi.waitFor(() => expect(heard).toEqual(["k1"]));
    expect((await cache.keyByHash("h1"))?.revokedAt).toBe(7);
    for (const listener of store.missed) listener();
    await cache.revokeKey({ id: "k2", now: 8 });
    expect(heard).toEqual(["k1", "k2"]);
  });

  it("E5 a look-up that was under way during the revocation is not remembered", async () => {
    let open = () => {};
    store.gate = new Promise((resolve) => {
      open = resolve;
    });
    const early = cache.keyByHash("h1");
    await cache.revokeKey({ id: "k1", now: 7 });
    const late = cache.keyByHash("h1");
    open();
    expect((await late)?.revokedAt).toBe(7);
    expect((await early)?.revokedAt).toBeNull();
    expect((await cache.keyByHash("h1"))?.revokedAt).toBe(7);
  });

  it("a key that is made after its hash was asked for is found", async () => {
    expect(await cache.keyByHash("h2")).toBeNull();
    await cache.createKey({ key: key("k2"), hash: "h2" });
    expect((await cache.keyByHash("h2"))?.id).toBe("k2");
  });
});
