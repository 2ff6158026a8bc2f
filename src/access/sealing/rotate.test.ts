import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { KeyRing } from "./key-ring.js";
import { rotateSealingKeys } from "./rotate.js";
import type { SealedStore } from "./sealed-store.js";
import { keyIdOf } from "./sealed-text.js";
import { createSealer, type Sealer } from "./sealer.js";

class Shelf implements SealedStore {
  readonly texts = new Map<string, string>();
  /** Called before each replacement. */
  onReplace: () => void = () => {};

  async walk({ after, limit }: { after: string | null; limit: number }) {
    const places = [...this.texts.keys()].sort().filter((place) => after === null || place > after);
    const seal = (place: string) => ({ place, purpose: `for ${place}`, sealed: this.texts.get(place) as string });
    return places.slice(0, Math.min(limit, 3)).map(seal);
  }

  async replace({ seal, sealed }: Parameters<SealedStore["replace"]>[0]) {
    this.onReplace();
    if (this.texts.get(seal.place) !== seal.sealed) return false;
    this.texts.set(seal.place, sealed);
    return true;
  }
}

describe("the rotation of sealing keys", () => {
  let directory: string;
  let ring: KeyRing;
  let sealer: Sealer;
  let shelf: Shelf;
  const put = (place: string) => shelf.texts.set(place, sealer.seal(`secret ${place}`, `for ${place}`));
  const opened = () => [...shelf.texts].map(([place, text]) => sealer.open(text, `for ${place}`));
  const rotate = (settle = async () => {}) => rotateSealingKeys({ ring, sealer, store: shelf, settle });

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "nuncio-rotate-"));
    ring = new KeyRing(join(directory, "sealing.json"), { now: () => 0 });
    sealer = createSealer(ring);
    shelf = new Shelf();
    for (let at = 0; at < 10; at++) put(`text${at}`);
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it("X13 seals everything with a new key and drops the old one", async () => {
    const before = opened();
    const old = ring.current().id;
    const rotated = await rotate();
    expect(rotated).toEqual({ current: ring.current().id, resealed: 10, unreadable: 0, dropped: [old] });
    expect(ring.ids()).toEqual([rotated.current]);
    expect([...shelf.texts.values()].map(keyIdOf)).toEqual(Array(10).fill(rotated.current));
    expect(opened()).toEqual(before);
    expect(readFileSync(ring.file, "utf8")).not.toContain(old);
  });

  it("X13 loses nothing wherever it dies, and comes to the end when it is run again", async () => {
    const before = opened();
    for (let dies = 1; dies <= 12; dies++) {
      let left = dies;
      shelf.onReplace = () => {
        if (--left === 0) throw new Error("died");
      };
      await rotate().catch(() => {});
      expect(opened()).toEqual(before);
    }
    shelf.onReplace = () => {};
    await rotate();
    expect(ring.ids()).toHaveLength(1);
    expect(opened()).toEqual(before);
  });

  it("X13 takes along what was sealed with the old key and stored only after the new one was there", async () => {
    const late = sealer.seal("late", "for text0a");
    await rotate(async () => void shelf.texts.set("text0a", late));
    expect(ring.ids()).toHaveLength(1);
    expect(sealer.open(shelf.texts.get("text0a") as string, "for text0a")).toBe("late");
  });

  it("leaves alone what somebody else stores meanwhile", async () => {
    shelf.onReplace = () => {
      shelf.onReplace = () => {};
      put("text0");
    };
    expect(await rotate()).toMatchObject({ resealed: 9 });
    expect(opened()).toHaveLength(10);
  });

  it("goes on past what cannot be opened, and keeps the key of it", async () => {
    const old = ring.current().id;
    shelf.texts.set("text4", `${shelf.texts.get("text4")}AAAA`);
    shelf.texts.set("text5", "s1.unknown.AAAA");
    expect(await rotate()).toMatchObject({ resealed: 8, unreadable: 2, dropped: [] });
    expect(ring.ids()).toContain(old);
  });

  it("X13 is refused while somebody else changes the file, and says when that one has died", async () => {
    writeFileSync(`${ring.file}.lock`, "");
    await expect(rotate()).rejects.toMatchObject({ code: "unavailable", hint: "try again in a minute" });
    expect(ring.ids()).toHaveLength(1);
  });

  it("X13 two at a time leave every text readable", async () => {
    const before = opened();
    const other = new KeyRing(ring.file, { now: () => 0 });
    const theirs = { ring: other, sealer: createSealer(other), store: shelf, settle: async () => {} };
    await Promise.all([rotate(), rotateSealingKeys(theirs)]);
    expect(opened()).toEqual(before);
  });
});
