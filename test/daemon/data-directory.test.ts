import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { lockDirectory } from "../../src/store/sqlite/directory-lock.js";

const LOCK = new URL("../../dist/store/sqlite/directory-lock.js", import.meta.url);

let directory: string;
let holder: ChildProcess;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "nuncio-lock-"));
});

afterEach(() => {
  holder.kill("SIGKILL");
  rmSync(directory, { recursive: true });
});

it("a data directory is refused while another process holds it, and free when that process was killed", async () => {
  holder = await holdInAnotherProcess();
  expect(() => lockDirectory(directory)).toThrow(expect.objectContaining({ reason: "DATA_DIRECTORY_IN_USE" }));
  holder.kill("SIGKILL");
  await once(holder, "exit");
  lockDirectory(directory).release();
});

async function holdInAnotherProcess(): Promise<ChildProcess> {
  const program = `
    const { lockDirectory } = await import(process.argv[1]);
    globalThis.held = lockDirectory(process.argv[2]);
    process.stdout.write("held");
    setInterval(() => {}, 1000);`;
  const args = ["--input-type=module", "-e", program, LOCK.href, directory];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  return child;
}
