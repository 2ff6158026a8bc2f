import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import type { SnapshotFile } from "../plans/plan.js";
import { pinnedFiles } from "./disclose.js";

const digestOf = (bytes: Uint8Array) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

const CONTENTS: Record<string, Uint8Array> = {
  "a.ts": Buffer.from("\ufeffconst ä = 1;\n"),
  "latin.txt": Buffer.from([0x63, 0x61, 0x66, 0xe9]),
  "nul.txt": Buffer.from("a\0b"),
  "changed.ts": Buffer.from("new"),
  "empty.txt": Buffer.alloc(0),
};
const HUGE = 9 * 1024 * 1024;

const FILES: SnapshotFile[] = [
  ...Object.entries(CONTENTS).map(([path, bytes]) => {
    const digest = path === "changed.ts" ? digestOf(Buffer.from("old")) : digestOf(bytes);
    return { path, digest, bytes: bytes.length, leftOut: null };
  }),
  { path: "gone.ts", digest: "sha256:0", bytes: 1, leftOut: null },
  { path: "huge.ts", digest: "sha256:1", bytes: HUGE, leftOut: null },
  { path: "link.ts", digest: null, bytes: 0, leftOut: "a symbolic link" },
];

const plans = {
  files: async () => FILES,
  content: async (_tenant: string, _plan: string, path: string) => CONTENTS[path] ?? null,
};

it("P6 gives the bytes of the snapshot as text, in the order of the pin, and no other file", async () => {
  const files = await pinnedFiles(plans, { tenant: "default", id: "p" }, ["empty.txt", "a.ts"]);
  expect(files.map(({ path, text }) => [path, text])).toEqual([
    ["empty.txt", ""],
    ["a.ts", "\ufeffconst ä = 1;\n"],
  ]);
  expect(files[1]).toMatchObject({ digest: digestOf(CONTENTS["a.ts"] as Buffer), bytes: 17 });
});

it.for([
  ["latin.txt", "not UTF-8 text"],
  ["nul.txt", "not UTF-8 text"],
  ["missing.ts", "does not hold it"],
  ["../a.ts", "does not hold it"],
  ["link.ts", "left out of the snapshot: a symbolic link"],
  ["gone.ts", "its content is gone"],
  ["changed.ts", "not what was admitted"],
  ["huge.ts", "more than"],
])("P6 %s stops the whole dispatch: %s", async ([path, why]) => {
  await expect(pinnedFiles(plans, { tenant: "default", id: "p" }, ["a.ts", path as string])).rejects.toMatchObject({
    code: "failed_precondition",
    reason: "FILE_NOT_DISCLOSED",
    message: expect.stringContaining(why as string),
  });
});
