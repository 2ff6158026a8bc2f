import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readInside } from "./read-inside.js";

let directory: string;
let root: string;

beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "nuncio-inside-")));
  root = join(directory, "ws");
  mkdirSync(join(root, "dir"), { recursive: true });
  mkdirSync(join(directory, "outside"));
  writeFileSync(join(root, "dir/a.txt"), "inside");
  writeFileSync(join(directory, "outside/a.txt"), "OUTSIDE");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Of the two, now the one and now the other is called `dir`. */
const SWAP = `
  const { renameSync } = require("node:fs");
  const { parentPort, workerData: root } = require("node:worker_threads");
  parentPort.postMessage("swapping");
  for (;;) {
    renameSync(root + "/dir", root + "/kept");
    renameSync(root + "/link", root + "/dir");
    renameSync(root + "/dir", root + "/link");
    renameSync(root + "/kept", root + "/dir");
  }
`;

describe("reading a file inside of a directory", () => {
  it("P7 a directory on the way that has become a link leads nowhere", async () => {
    renameSync(join(root, "dir"), join(root, "was"));
    symlinkSync(join(directory, "outside"), join(root, "dir"));
    expect(readInside(root, "dir/a.txt", 100)).toEqual({ leftOut: expect.stringContaining("led out"), bytes: 0 });
  });

  it("P7 a file that has become a link, a directory, or has gone is left out", async () => {
    symlinkSync(join(directory, "outside/a.txt"), join(root, "link"));
    expect(readInside(root, "link", 100)).toEqual({ leftOut: "a symbolic link", bytes: 0 });
    expect(readInside(root, "dir", 100)).toMatchObject({ leftOut: "no regular file any more" });
    expect(readInside(root, "absent", 100)).toMatchObject({ leftOut: "it went away" });
  });

  it("P7 whoever swaps a directory for a link meanwhile, again and again, gets nothing out from elsewhere", async () => {
    symlinkSync(join(directory, "outside"), join(root, "link"));
    const swapper = new Worker(SWAP, { eval: true, workerData: root });
    try {
      await once(swapper, "message");
      const seen = new Set<string>();
      for (let n = 0; n < 5000; n++) {
        const read = readInside(root, "dir/a.txt", 100);
        seen.add("content" in read ? Buffer.from(read.content).toString() : "left out");
      }
      expect(seen).toContain("left out");
      expect(seen).not.toContain("OUTSIDE");
    } finally {
      await swapper.terminate();
    }
  });
});
