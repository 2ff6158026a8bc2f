import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { lockDirectory } from "./directory-lock.js";

describe("the lock of a data directory", () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "nuncio-lock-"));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it("has one holder, and the second is told what to do", () => {
    const lock = lockDirectory(directory);
    expect(() => lockDirectory(directory)).toThrow(
      expect.objectContaining({
        code: "failed_precondition",
        reason: "DATA_DIRECTORY_IN_USE",
        message: `another daemon is running on ${directory}`,
        hint: expect.stringContaining("nuncio status"),
      }),
    );
    lock.release();
    lockDirectory(directory).release();
  });

  it("does not name another daemon where the directory itself is the trouble", () => {
    expect(() => lockDirectory(join(directory, "absent"))).not.toThrow(/another daemon/);
  });
});
