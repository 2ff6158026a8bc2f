import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NuncioError } from "../../shared/errors.js";
import { KeyRing } from "./key-ring.js";
import { keyIdOf } from "./sealed-text.js";
import { createSealer } from "./sealer.js";

const clock = { now: () => 1_700_000_000_000 };
const reasonOf = (work: () => unknown): string | undefined => {
  try {
    work();
  } catch (error) {
    return NuncioError.is(error) ? error.reason : String(error);
  }
  return undefined;
};

describe("the sealer", () => {
  let directory: string;
  let file: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "nuncio-sealing-"));
    file = join(directory, "keys", "sealing.json");
  });
  afterEach(() => rmSync(directory, { recursive: true }));
  const ring = () => new KeyRing(file, clock);

  it("X13 opens what was sealed, after a restart as well, and shows nothing of it", () => {
    const plain = "a token, ten € and a lot more of it";
    const sealed = createSealer(ring()).seal(plain, "push token t/1");
    expect(sealed).toMatch(/^s1\.[0-9a-f]{12}\.[A-Za-z0-9_-]+$/);
    expect(sealed).not.toContain("token");
    expect(createSealer(ring()).open(sealed, "push token t/1")).toBe(plain);
    expect(createSealer(ring()).open(createSealer(ring()).seal("", "x"), "x")).toBe("");
  });

  it("seals the same text differently each time", () => {
    const sealer = createSealer(ring());
    expect(sealer.seal("same", "x")).not.toBe(sealer.seal("same", "x"));
  });

  it("X13 refuses what was sealed for another purpose, and every change of a character", () => {
    const sealer = createSealer(ring());
    const sealed = sealer.seal("secret", "push token t/1");
    expect(reasonOf(() => sealer.open(sealed, "push token t/2"))).toBe("SEAL_BROKEN");
    const { length: head } = `s1.${keyIdOf(sealed)}.`;
    for (let at = head; at < sealed.length - 1; at++) {
      const other = sealed[at] === "A" ? "B" : "A";
      const changed = sealed.slice(0, at) + other + sealed.slice(at + 1);
      expect(reasonOf(() => sealer.open(changed, "push token t/1"))).toBe("SEAL_BROKEN");
    }
    for (const text of ["", "secret", "s1.x", "s1..AAAA", "s2.abc.AAAA", `${sealed}=`, sealed.slice(0, head + 20)]) {
      expect(reasonOf(() => sealer.open(text, "push token t/1"))).toBe("SEAL_BROKEN");
    }
  });

  it("X13 keeps its keys in a file that is its owner's alone, made at the first use", () => {
    const sealer = createSealer(ring());
    expect(existsSync(file)).toBe(false);
    sealer.seal("x", "y");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(directory, "keys")).mode & 0o777).toBe(0o700);
  });

  it("R7 uses no key file that others may read, also when that is changed while it runs", () => {
    const sealer = createSealer(ring());
    const sealed = sealer.seal("x", "y");
    chmodSync(file, 0o640);
    expect(reasonOf(() => sealer.open(sealed, "y"))).toBe("SECRET_FILE_REFUSED");
    expect(reasonOf(() => sealer.seal("x", "y"))).toBe("SECRET_FILE_REFUSED");
    chmodSync(file, 0o600);
    expect(sealer.open(sealed, "y")).toBe("x");
  });

  it("says which key is missing and what to do, and never makes another one in its place", () => {
    const sealer = createSealer(ring());
    const sealed = sealer.seal("x", "y");
    rmSync(file);
    expect(reasonOf(() => sealer.open(sealed, "y"))).toBe("SEALING_KEY_MISSING");
    expect(existsSync(file)).toBe(false);
  });

  it.each([
    ["nothing", ""],
    ["something else", "{}"],
    ["a text that is no JSON", `{"keys": "SECRET`],
    ["another format", JSON.stringify({ format: 2, current: "a", keys: [] })],
    ["a key that is too short", JSON.stringify({ format: 1, current: "a", keys: [{ id: "a", key: "SECRET" }] })],
    ["no current key", JSON.stringify({ format: 1, current: "b", keys: [{ id: "a", key: "A".repeat(43) }] })],
  ])("refuses a key file with %s, without showing what is in it", (_, text) => {
    createSealer(ring()).seal("x", "y");
    writeFileSync(file, text, { mode: 0o600 });
    expect(() => createSealer(ring()).seal("x", "y")).toThrow(/^(?!.*SECRET).*sealing key file/);
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  it("X13 several processes that use a key file first at the same time come to the same keys", () => {
    const [one, two] = [ring(), ring()];
    const sealed = createSealer(one).seal("x", "y");
    expect(createSealer(two).open(sealed, "y")).toBe("x");
    expect(two.current().id).toBe(one.current().id);
  });
});
