import { beforeEach, describe, expect, it } from "vitest";
import { newP256Key, thumbprint } from "../jwt/p256-key.js";
import { AgentKeys } from "./agent-keys.js";
import { isInForce, type SigningKey, type SigningKeyStore } from "./signing-key.js";

const DESK = { tenant: "default", name: "desk" };
let time = 1_000_000;
const clock = { now: () => time };

/** What the nodes share, with a count of what it is asked. */
class CountingStore implements SigningKeyStore {
  readonly keys = new Map<string, SigningKey>();
  readonly revoked = new Set<(kid: string) => void>();
  readonly missed = new Set<() => void>();
  lookUps = 0;

  put(over: Partial<SigningKey> = {}): SigningKey {
    const { publicKey } = newP256Key();
    const kid = thumbprint(publicKey);
    const key = { ...DESK, kid, publicKey, createdAt: time, retiredAt: null, acceptedUntil: null, ...over };
    this.keys.set(key.kid, key);
    return key;
  }
  async signingKey() {
    return null;
  }
  async firstSigningKey(command: { key: SigningKey; sealed: string }) {
    return command;
  }
  async rotateSigningKey() {
    return [];
  }
  async signingKeysOf({ tenant, name, now }: { tenant: string; name: string; now: number }) {
    this.lookUps += 1;
    return [...this.keys.values()].filter((key) => key.tenant === tenant && key.name === name && isInForce(key, now));
  }
  async signingKeysSince() {
    return [...this.keys.values()];
  }
  onRevoked(listener: (kid: string) => void) {
    this.revoked.add(listener);
    return () => this.revoked.delete(listener);
  }
  onMissed(listener: () => void) {
    this.missed.add(listener);
    return () => this.missed.delete(listener);
  }
}

let store: CountingStore;
beforeEach(() => {
  time = 1_000_000;
  store = new CountingStore();
});
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("the keys of our agents", () => {
  it("E5 where nobody else makes any, a kid that is not known costs no query", async () => {
    const known = store.put();
    const keys = new AgentKeys(store, { clock, alone: true });
    await keys.load();
    expect((await keys.find(DESK, known.kid))?.kid).toBe(known.kid);
    for (let at = 0; at < 100; at++) expect(await keys.find(DESK, `kid ${at}`)).toBeNull();
    expect(store.lookUps).toBe(0);
  });

  it("X4 E6 one that another node has made is found, with one query a second at most for an agent", async () => {
    const keys = new AgentKeys(store, { clock, alone: false });
    await keys.load();
    const made = store.put();
    expect((await keys.find(DESK, made.kid))?.kid).toBe(made.kid);
    expect(store.lookUps).toBe(1);
    await Promise.all(Array.from({ length: 100 }, (_, at) => keys.find(DESK, `kid ${at}`)));
    expect(store.lookUps).toBe(1);
    time += 1000;
    const next = store.put();
    await Promise.all([...Array(100).keys()].map((at) => keys.find(DESK, `kid ${at}`)));
    expect((await keys.find(DESK, next.kid))?.kid).toBe(next.kid);
    expect(store.lookUps).toBe(2);
  });

  it("E6 a key of one agent is none of another, nor of one of that name elsewhere", async () => {
    const { kid } = store.put();
    const keys = new AgentKeys(store, { clock, alone: true });
    await keys.load();
    expect(await keys.find({ tenant: "acme", name: "desk" }, kid)).toBeNull();
    expect(await keys.find({ tenant: "default", name: "lab" }, kid)).toBeNull();
  });

  it("X4 E6 what another node ended counts no more, also when its word was lost, and listeners hear of it once", async () => {
    const [one, two] = [store.put(), store.put()];
    const keys = new AgentKeys(store, { clock, alone: false });
    await keys.load();
    const ended: string[] = [];
    keys.onEnded((kid) => ended.push(kid));
    for (const listener of store.revoked) listener(one.kid);
    expect(keys.peek(DESK, one.kid)).toBeNull();
    store.keys.set(one.kid, { ...one, retiredAt: time, acceptedUntil: time });
    store.keys.set(two.kid, { ...two, retiredAt: time, acceptedUntil: time });
    for (const listener of store.missed) listener();
    await settled();
    expect(keys.peek(DESK, two.kid)).toBeNull();
    expect(ended).toEqual([one.kid, two.kid]);
  });

  it("X4 E6 a look-up that was under way when a key was ended does not bring it back", async () => {
    const key = store.put();
    const keys = new AgentKeys(store, { clock, alone: false });
    await keys.load();
    const found = keys.find(DESK, "another");
    for (const listener of store.revoked) listener(key.kid);
    await found;
    expect(keys.peek(DESK, key.kid)).toBeNull();
  });

  it("X4 E6 the news of a key reach a node that was not asked for it", async () => {
    const keys = new AgentKeys(store, { clock, alone: false });
    await keys.load();
    const made = store.put();
    for (const listener of store.missed) listener();
    await settled();
    expect(keys.of(DESK).map(({ kid }) => kid)).toEqual([made.kid]);
    expect(store.lookUps).toBe(0);
  });

  it("E6 a retired key goes when its time is over, the oldest is told first", async () => {
    const old = store.put({ retiredAt: time, acceptedUntil: time + 100 });
    time += 50;
    const next = store.put();
    const keys = new AgentKeys(store, { clock, alone: true });
    await keys.load();
    expect(keys.of(DESK).map(({ kid }) => kid)).toEqual([old.kid, next.kid]);
    time += 50;
    expect(keys.of(DESK).map(({ kid }) => kid)).toEqual([next.kid]);
    expect(keys.all().map(({ kid }) => kid)).toEqual([next.kid]);
    expect(keys.peek(DESK, old.kid)).toBeNull();
  });
});
