import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { NuncioError } from "../../shared/errors.js";
import { KeyRing } from "../sealing/key-ring.js";
import { rotateSealingKeys } from "../sealing/rotate.js";
import type { SealedStore } from "../sealing/sealed-store.js";
import { createSealer, type Sealer } from "../sealing/sealer.js";
import { credentialDigest, readCredential, readPeerCredential } from "./credential-file.js";
import { makeCredential, type NewCredential } from "./make-credential.js";
import { sealedCredentials, together } from "./sealed-credentials.js";

let directory: string;
let ring: KeyRing;
let sealer: Sealer;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "nuncio-credential-"));
  ring = new KeyRing(join(directory, "keys", "sealing.json"), { now: () => 0 });
  sealer = createSealer(ring);
});
afterEach(() => rmSync(directory, { recursive: true }));

const at = (name: string) => join(directory, name);
const make = (rest: Partial<NewCredential> = {}) =>
  makeCredential({ peer: "reviewer", file: at("peers/reviewer.json"), seal: false, ...rest }, sealer);
const read = (file: string) => readPeerCredential(file, "reviewer", { sealer });
const mode = (file: string) => statSync(file).mode & 0o777;
const put = (name: string, content: unknown, bits = 0o600) => {
  writeFileSync(at(name), typeof content === "string" ? content : JSON.stringify(content), { mode: bits });
  chmodSync(at(name), bits);
  return at(name);
};

const linked = (name: string, to: string) => {
  symlinkSync(to, at(name));
  return at(name);
};
function caught(work: () => unknown): NuncioError {
  try {
    work();
  } catch (error) {
    return error as NuncioError;
  }
  throw new Error("nothing was refused");
}

describe("the credential of a peer", () => {
  it("P1 is a new token in a file and a directory for its owner alone, and known by its digest", () => {
    const before = process.umask(0);
    try {
      const made = make();
      expect(made).toEqual({
        peer: "reviewer",
        file: at("peers/reviewer.json"),
        digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        sealed: false,
        handover: null,
      });
      expect([mode(made.file), mode(at("peers"))]).toEqual([0o600, 0o700]);
      const { token, digest } = read(made.file);
      expect([digest, credentialDigest(token)]).toEqual([made.digest, made.digest]);
      expect(JSON.parse(readFileSync(made.file, "utf8"))).toEqual({ schema: 1, peer: "reviewer", token });
      expect(make({ file: at("other.json") }).digest).not.toBe(made.digest);
    } finally {
      process.umask(before);
    }
  });

  it("P1 is never overwritten, were there only a link that leads nowhere", () => {
    const { file } = make();
    const before = readFileSync(file, "utf8");
    expect(() => make()).toThrow("is there already, and a credential is never overwritten");
    expect(readFileSync(file, "utf8")).toBe(before);
    symlinkSync(at("nowhere"), at("link.json"));
    expect(() => make({ file: at("link.json") })).toThrow("is there already");
    expect(existsSync(at("nowhere"))).toBe(false);
  });

  it("P1 is handed over in a copy, and taken from one: the same token, by the name it has here", () => {
    const ours = make({ handover: at("for-them.json") });
    expect(mode(at("for-them.json"))).toBe(0o600);
    const theirs = makeCredential(
      { peer: "partner", file: at("partner.json"), from: at("for-them.json"), seal: false },
      sealer,
    );
    expect(theirs.digest).toBe(ours.digest);
    expect(readPeerCredential(theirs.file, "partner", { sealer }).digest).toBe(ours.digest);
    const alone = make({ file: at("c.json"), from: put("token.txt", "a-token-that-somebody-sent\n") });
    expect(read(alone.file).token).toBe("a-token-that-somebody-sent");
  });

  it("P1 and its copy are both there, or none is", () => {
    make();
    expect(() => make({ handover: at("copy.json") })).toThrow("peers/reviewer.json is there already");
    expect(existsSync(at("copy.json"))).toBe(false);
    put("copy.json", "{}");
    expect(() => make({ file: at("new.json"), handover: at("copy.json") })).toThrow("copy.json is there already");
    expect(existsSync(at("new.json"))).toBe(false);
    expect(readdirSync(directory).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it.each<[string, () => string]>([
    ["does not exist", () => at("absent.json")],
    ["is a link", () => linked("link.json", make().file)],
    ["has mode 0640", () => put("loose.json", { schema: 1, peer: "reviewer", token: "x".repeat(20) }, 0o640)],
    ["is not JSON", () => put("text.json", "a-token-of-more-than-16-characters")],
    [
      "has the same field twice",
      () => put("twice.json", `{"schema":1,"peer":"reviewer","token":"${"x".repeat(20)}","token":"${"y".repeat(20)}"}`),
    ],
    ["has the unknown field", () => put("more.json", { schema: 1, peer: "reviewer", token: "x".repeat(20), extra: 1 })],
    [
      "is the credential of partner, not of reviewer",
      () => put("other.json", { schema: 1, peer: "partner", token: "x".repeat(20) }),
    ],
    ["has no token for a peer", () => put("key.json", { schema: 1, type: "apiKey", header: "x-key", value: "x" })],
    ["is larger than", () => put("large.json", "x".repeat(40_000))],
  ])("P1 R7 is refused with its path and what mends it: %s", (problem, file) => {
    const path = file();
    const refused = caught(() => read(path));
    expect(refused.message).toContain(`${path} ${problem}`);
    expect(refused.hint).toMatch(/nuncio a2a credential reviewer --file|chmod 600|name the/);
  });

  it("P1 is not made of a handed-over file that two readers could read two tokens in", () => {
    const tokens = `"token":"${"x".repeat(20)}","token":"${"y".repeat(20)}"`;
    const from = put("twice.json", `{"schema":1,"peer":"reviewer",${tokens}}`);
    expect(() => make({ from })).toThrow(`${from} has the same field twice`);
    expect(existsSync(at("peers"))).toBe(false);
  });

  it.each(["", "Reviewer", "a/b", "..", "-a", "a".repeat(65)])("P1 has the name of a peer, which %j is not", (peer) => {
    expect(() => make({ peer })).toThrow("cannot be the name of a peer");
    expect(existsSync(at("peers"))).toBe(false);
  });
});

describe("a sealed credential", () => {
  it("X13 is of no use without the keys, in another file of another peer, or changed", () => {
    const { file, digest, sealed } = make({ seal: true });
    const { token } = read(file);
    expect([sealed, credentialDigest(token)]).toEqual([true, digest]);
    const text = readFileSync(file, "utf8");
    expect(text).not.toContain(token);
    const other = put("other.json", text.replace("reviewer", "partner"));
    expect(() => readCredential(other, { sealer })).toThrow("cannot be opened: it was changed");
    const stranger = createSealer(new KeyRing(at("strange.json"), { now: () => 0 }));
    expect(() => readCredential(file, { sealer: stranger })).toThrow("is not in");
  });

  it("X13 of any type can be made of a plain one, and handed over in plain", () => {
    const plain = put("plain.json", { schema: 1, type: "apiKey", header: "x-key", value: "a canary" });
    const made = make({ from: plain, seal: true, handover: at("copy.json") });
    expect(readFileSync(made.file, "utf8")).not.toContain("canary");
    expect(readCredential(made.file, { sealer })).toEqual({ type: "apiKey", header: "x-key", value: "a canary" });
    expect(readFileSync(at("copy.json"), "utf8")).toContain("a canary");
    const again = make({ file: at("again.json"), from: made.file });
    expect(readCredential(again.file, { sealer })).toMatchObject({ value: "a canary" });
  });

  it("X13 is sealed anew when the keys change, whole or not at all; a plain one is left alone", async () => {
    const files = ["a.json", "b.json"].map((name) => make({ file: at(name), seal: true }).file);
    const plain = make({ file: at("plain.json") }).file;
    const before = files.map((file) => read(file).token);
    const untouched = readFileSync(plain, "utf8");
    const old = ring.current().id;
    const rows = new Map([["row", sealer.seal("in the ledger", "row")]]);
    const ledger: SealedStore = {
      walk: async ({ after }) =>
        after === null ? [{ purpose: "row", place: "row", sealed: rows.get("row") as string }] : [],
      replace: async ({ sealed }) => rows.set("row", sealed) !== undefined,
    };
    const store = together([ledger, sealedCredentials(() => [...files, plain, plain, at("removed.json")])]);
    const rotated = await rotateSealingKeys({ ring, sealer, store, settle: async () => {} });
    expect(rotated).toMatchObject({ resealed: 3, unreadable: 0, dropped: [old] });
    expect(files.map((file) => read(file).token)).toEqual(before);
    expect(sealer.open(rows.get("row") as string, "row")).toBe("in the ledger");
    expect(files.map(mode)).toEqual([0o600, 0o600]);
    expect(readFileSync(plain, "utf8")).toBe(untouched);
  });

  it("X13 that cannot be read keeps the keys as they are", async () => {
    const { file } = make({ seal: true });
    const { token } = read(file);
    chmodSync(file, 0o644);
    const store = together([sealedCredentials(() => [file])]);
    const rotation = rotateSealingKeys({ ring, sealer, store, settle: async () => {} });
    await expect(rotation).rejects.toThrow(`${file} has mode 0644`);
    chmodSync(file, 0o600);
    expect(read(file).token).toBe(token);
  });
});
