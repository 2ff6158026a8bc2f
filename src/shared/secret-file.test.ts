import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readSecretFile, writeSecretFile } from "./secret-file.js";

describe("a file that holds secrets", () => {
  let directory: string;
  let file: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "nuncio-secret-"));
    file = join(directory, "secret");
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it("R7 is written for its owner alone, whatever the process would do otherwise, and leaves no draft", () => {
    const before = process.umask(0);
    try {
      expect(writeSecretFile(file, "one", true)).toBe(true);
    } finally {
      process.umask(before);
    }
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readSecretFile(file, 100)).toBe("one");
    expect(readdirSync(directory)).toEqual(["secret"]);
  });

  it("is left alone where it must not be replaced", () => {
    writeSecretFile(file, "one", false);
    expect(writeSecretFile(file, "two", false)).toBe(false);
    expect(readSecretFile(file, 100)).toBe("one");
    expect(writeSecretFile(file, "three", true)).toBe(true);
    expect(readSecretFile(file, 100)).toBe("three");
    expect(readdirSync(directory)).toEqual(["secret"]);
  });

  it("is null where there is none", () => {
    expect(readSecretFile(file, 100)).toBeNull();
  });

  it.each([0o640, 0o604, 0o620, 0o660, 0o644, 0o601])("R7 is refused with mode %o", (mode) => {
    writeSecretFile(file, "one", true);
    chmodSync(file, mode);
    expect(() => readSecretFile(file, 100)).toThrow("others may use it");
  });

  it("R7 is refused as a link, even to a file that would do", () => {
    writeSecretFile(file, "one", true);
    symlinkSync(file, join(directory, "link"));
    expect(() => readSecretFile(join(directory, "link"), 100)).toThrow("is a link");
  });

  it("is refused as a directory, and beyond its bound", () => {
    expect(() => readSecretFile(directory, 100)).toThrow("is not a regular file");
    writeFileSync(file, "x".repeat(101), { mode: 0o600 });
    expect(() => readSecretFile(file, 100)).toThrow("is larger than 100 bytes");
  });

  it.runIf(process.getuid?.() === 0)("R7 is refused from another owner", async () => {
    const { chownSync } = await import("node:fs");
    writeSecretFile(file, "one", true);
    chownSync(file, 12_345, 12_345);
    expect(() => readSecretFile(file, 100)).toThrow("belongs to another user");
  });
});
