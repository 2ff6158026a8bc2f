import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SNAPSHOT_BOUNDS } from "./snapshot-bounds.js";
import { type Snapshot, takeSnapshot } from "./take-snapshot.js";

let directory: string;
let number = 0;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "nuncio-snapshot-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** A workspace with these files. */
function workspace(files: Record<string, string | Uint8Array> = {}): string {
  const root = join(directory, `ws-${++number}`);
  mkdirSync(root);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}

const take = (root: string, over: Partial<Parameters<typeof takeSnapshot>[0]> = {}): Promise<Snapshot> =>
  takeSnapshot({ workspace: root, ignore: [], excluded: [], ...over });

const admitted = ({ files }: Snapshot): string[] => files.flatMap((file) => (file.leftOut === null ? file.path : []));
const leftOut = ({ files }: Snapshot): Record<string, string> =>
  Object.fromEntries(files.flatMap(({ path, leftOut }) => (leftOut === null ? [] : [[path, leftOut]])));

describe("the snapshot of a workspace", () => {
  it("P7 is the bytes of each file under their digest, the same content once", async () => {
    const bytes = Uint8Array.from([0, 1, 254, 255]);
    const taken = await take(workspace({ "a.txt": "same", "deep/er/b.txt": "same", "c.bin": bytes, "ö 🎭": "" }));
    expect(admitted(taken)).toEqual(["a.txt", "c.bin", "deep/er/b.txt", "ö 🎭"]);
    expect(taken.contents.size).toBe(3);
    const digest = taken.files.find(({ path }) => path === "c.bin")?.digest ?? "";
    expect(digest).toBe(`sha256:${createHash("sha256").update(bytes).digest("hex")}`);
    expect(Uint8Array.from(taken.contents.get(digest) ?? [])).toEqual(bytes);
  });

  it("P7 has a digest of paths and contents alone: neither times, order nor what was left out change it", async () => {
    const one = await take(workspace({ a: "1", b: "2", ".env": "x" }));
    const same = await take(workspace({ b: "2", a: "1" }));
    expect(same.digest).toBe(one.digest);
    const others: Record<string, string>[] = [
      { a: "2", b: "1" },
      { a: "1" },
      { a: "1", c: "2" },
      { a: "1", b: "2", c: "" },
      { 'a","1': "" },
    ];
    for (const other of others) {
      expect((await take(workspace(other))).digest).not.toBe(one.digest);
    }
  });

  it("P7 leaves out links, wherever they lead, and does not go through one", async () => {
    const outside = workspace({ "secret.txt": "outside" });
    const root = workspace({ "real.txt": "in", "dir/in.txt": "in" });
    symlinkSync(join(outside, "secret.txt"), join(root, "file-link"));
    symlinkSync(outside, join(root, "dir-link"));
    symlinkSync("real.txt", join(root, "inner-link"));
    symlinkSync("nowhere", join(root, "broken-link"));
    symlinkSync(".", join(root, "dir/loop"));
    const taken = await take(root);
    expect(admitted(taken)).toEqual(["dir/in.txt", "real.txt"]);
    const link = "a symbolic link";
    expect(leftOut(taken)).toEqual({
      ...{ "broken-link": link, "dir-link": link, "file-link": link, "inner-link": link, "dir/loop": link },
    });
  });

  it("P7 is taken of the directory itself when its path leads through a link", async () => {
    const root = workspace({ "a.txt": "a" });
    const link = join(directory, `link-${number}`);
    symlinkSync(root, link);
    const taken = await take(link);
    expect(taken.workspace).toBe(root);
    expect(admitted(taken)).toEqual(["a.txt"]);
  });

  it("P7 leaves out pipes and sockets without waiting for them", async () => {
    const root = workspace({ "a.txt": "a" });
    execFileSync("mkfifo", [join(root, "pipe"), join(root, ".gitignore")]);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(root, "s"), resolve));
    try {
      expect(leftOut(await take(root))).toEqual({ ".gitignore": "a pipe", pipe: "a pipe", s: "a socket" });
    } finally {
      server.close();
    }
  });

  it("P7 leaves out what is likely to be a secret, the history and installed packages, whatever patterns say", async () => {
    const secrets = [
      ".env",
      ".env.production",
      "x/server.pem",
      "id_rsa",
      "x/id_ed25519.bak",
      "tls.key",
      ".npmrc",
      ".netrc",
    ];
    const more = [".git/config", "node_modules/x/index.js", ".ssh/config", "x/.aws/credentials", "credentials.json"];
    const all = Object.fromEntries([...secrets, ...more].map((path) => [path, "SECRET"]));
    const root = workspace({ ...all, "a.txt": "a", ".gitignore": "!.env\n!*.pem\n" });
    const taken = await take(root, { ignore: ["!.env", "!id_rsa", "!.git", "!**"] });
    expect(admitted(taken)).toEqual([".gitignore", "a.txt"]);
    expect(Object.values(leftOut(taken)).filter((why) => why === "may hold secrets")).toHaveLength(11);
    expect([...taken.contents.values()].some((bytes) => Buffer.from(bytes).includes("SECRET"))).toBe(false);
  });

  it.each<[what: string, files: Record<string, string>, ignore: string[], kept: string[]]>([
    ["a name anywhere", { ".gitignore": "*.log", "a.log": "", "x/b.log": "", "x/c": "" }, [], [".gitignore", "x/c"]],
    ["a path from its own directory", { ".gitignore": "/out", out: "", "x/out": "" }, [], [".gitignore", "x/out"]],
    ["a directory as a whole", { ".gitignore": "out/\n!out/keep", "out/keep": "", "x/out/a": "" }, [], [".gitignore"]],
    ["an exception", { ".gitignore": "*.log\n!keep.log", "a.log": "", "keep.log": "" }, [], [".gitignore", "keep.log"]],
    [
      "a file further down over one above",
      { ".gitignore": "*.log", "x/.gitignore": "!*.log", "x/a.log": "", "b.log": "" },
      [],
      [".gitignore", "x/.gitignore", "x/a.log"],
    ],
    ["only below itself", { "x/.gitignore": "a", "x/a": "", "y/a": "" }, [], ["x/.gitignore", "y/a"]],
    [
      "the plan before all",
      { ".gitignore": "*.log", "a.log": "", "b.txt": "" },
      ["!a.log", "*.txt"],
      [".gitignore", "a.log"],
    ],
    [
      "a comment and what is escaped",
      { ".gitignore": "#a\n\\#b\n\\!c", "#a": "", "#b": "", "!c": "" },
      [],
      ["#a", ".gitignore"],
    ],
  ])("P7 reads patterns as git does: %s", async (_what, files, ignore, kept) => {
    expect(admitted(await take(workspace(files), { ignore }))).toEqual(kept);
  });

  it("P7 names that cannot be shown or are no text are left out", async () => {
    const root = workspace({
      "a.txt": "a",
      "line\nbreak": "x",
      "bell\u0007": "x",
      "\u202etxt.exe": "x",
      "tab\tdir/in": "x",
    });
    writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff, 0xfe, 0x41])]), "x");
    const taken = await take(root);
    expect(admitted(taken)).toEqual(["a.txt"]);
    const why = Object.values(leftOut(taken));
    expect(why.filter((one) => one === "its name holds control characters")).toHaveLength(4);
    expect(why.filter((one) => one === "its name is not UTF-8")).toHaveLength(1);
  });

  it("P7 leaves out a file that is too large, and refuses too many, too much, too deep", async () => {
    const bounds = { ...SNAPSHOT_BOUNDS, fileBytes: 2048, files: 3, totalBytes: 4096, depth: 2, entries: 8 };
    const large = await take(workspace({ big: "x".repeat(2049), fits: "x".repeat(2048) }), { bounds });
    expect(admitted(large)).toEqual(["fits"]);
    expect(large.files.find(({ path }) => path === "big")).toMatchObject({ bytes: 2049, leftOut: "larger than 2 KiB" });
    const refused = { code: "limit_reached", reason: "SNAPSHOT_TOO_LARGE", retryable: false };
    const half = "x".repeat(1500);
    const tooMuch: Record<string, string>[] = [
      { a: "", b: "", c: "", d: "" },
      { a: half, b: half, c: half },
      { "1/2/3/a": "" },
    ];
    for (const files of tooMuch) {
      await expect(take(workspace(files), { bounds })).rejects.toMatchObject(refused);
    }
    const ignored = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`${n}.log`, ""]));
    await expect(take(workspace(ignored), { bounds, ignore: ["*.log"] })).rejects.toMatchObject(refused);
  });

  it("P7 refuses a workspace of 10,001 files", async () => {
    const root = workspace({ "0": "" });
    for (let n = 1; n <= 10_000; n++) linkSync(join(root, "0"), join(root, String(n)));
    await expect(take(root)).rejects.toMatchObject({ reason: "SNAPSHOT_TOO_LARGE" });
  });

  it("P7 leaves out the data of the daemon itself", async () => {
    const root = workspace({ "data/ledger.db": "rows", "a.txt": "a" });
    const taken = await take(root, { excluded: [join(root, "data")] });
    expect(admitted(taken)).toEqual(["a.txt"]);
    expect(leftOut(taken)).toEqual({ "data/": "the daemon's own data" });
  });

  it("P7 refuses the data of the daemon itself as a workspace, and what is in it, whatever link leads there", async () => {
    const root = workspace({ "data/peers/stopped.json": "{}", "database/a.txt": "a" });
    symlinkSync(join(root, "data/peers"), join(root, "link"));
    const excluded = [join(root, "data")];
    for (const path of ["data", "data/peers", "link"]) {
      await expect(take(join(root, path), { excluded })).rejects.toMatchObject({ reason: "WORKSPACE_UNUSABLE" });
    }
    expect(admitted(await take(join(root, "database"), { excluded }))).toEqual(["a.txt"]);
  });

  it("P7 leaves out the credentials and keys that the daemon goes by, under whatever name", async () => {
    const root = workspace({ "reviewer.json": "token", "a.json": "a" });
    const taken = await take(root, { excluded: [join(root, "reviewer.json"), join(root, "not-there.json")] });
    expect(admitted(taken)).toEqual(["a.json"]);
    expect(leftOut(taken)).toEqual({ "reviewer.json": "the daemon's own data" });
  });

  it("P7 patterns that could keep the daemon busy are refused, with their place", async () => {
    const root = workspace({ "x/.gitignore": "ok\n*a*a*a*a*b\n" });
    await expect(take(root)).rejects.toMatchObject({ reason: "IGNORE_TOO_COMPLEX", message: /^x\/\.gitignore:2 / });
    await expect(take(workspace(), { ignore: ["x".repeat(600)] })).rejects.toMatchObject({
      reason: "IGNORE_TOO_COMPLEX",
    });
  });

  it.each([
    ["relative/path", /not an absolute path/],
    ["/nowhere/at/all", /does not exist/],
    ["/dev/null", /no directory/],
  ])("P7 refuses %s as a workspace", async (path, message) => {
    await expect(take(path)).rejects.toMatchObject({ field: "workspace", reason: "WORKSPACE_UNUSABLE", message });
  });

  it("a hard link is a file like any other", async () => {
    const root = workspace({ a: "same" });
    linkSync(join(root, "a"), join(root, "b"));
    expect(admitted(await take(root))).toEqual(["a", "b"]);
  });
});
