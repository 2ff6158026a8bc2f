import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const CLI = here("../bin/nuncio");

/** A directory that is gone when the bench ends. Set BENCH_DIR to choose the disk. */
export function workDirectory() {
  const path = mkdtempSync(join(process.env.BENCH_DIR ?? tmpdir(), "nuncio-bench-"));
  process.on("exit", () => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Starts a process and waits for the line that says it listens. */
async function listening(args, pattern) {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const port = await new Promise((resolve, reject) => {
    const read = (chunk) => {
      output += chunk;
      const found = pattern.exec(output);
      if (found) resolve(Number(found[1]));
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("exit", (code) => reject(new Error(`${args[0]} ended with ${code}: ${output.slice(-2000)}`)));
  });
  child.removeAllListeners("exit");
  child.stdout.resume();
  child.stderr.resume();
  const stop = () =>
    new Promise((resolve) => {
      child.once("exit", resolve);
      child.kill("SIGTERM");
    });
  return { port, stop };
}

export const startEcho = () => listening([here("servers/echo.mjs")], /listening (\d+)/);

export const startSdk = (kind, directory) =>
  listening([here("servers/sdk.mjs"), kind, join(directory, `sdk-${kind}.db`)], /listening (\d+)/);

/** Our daemon with one scripted echo persona, and a key to call it with. */
export async function startNuncio(directory, yaml) {
  const config = join(directory, "nuncio.yaml");
  writeFileSync(config, yaml);
  const server = await listening([CLI, "up", "--config", config], /"?url"?[:=]"http:\/\/127\.0\.0\.1:(\d+)"/);
  const made = execFileSync(process.execPath, [
    CLI,
    "key",
    "create",
    "bench",
    "--scope",
    "runs:execute",
    "--config",
    config,
    "--json",
  ]);
  return { ...server, key: JSON.parse(made.toString()).key };
}

/** Runs the load generator once. */
export async function load(options) {
  const child = spawn(process.execPath, [here("post-load.mjs"), JSON.stringify(options)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  for await (const chunk of child.stdout) output += chunk;
  return JSON.parse(output);
}
