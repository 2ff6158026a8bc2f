import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const CLI = here("../bin/nuncio");
const SERVING = /"?url"?[:=]"http:\/\/127\.0\.0\.1:(\d+)"/;

/** A directory that is gone when the bench ends. Set BENCH_DIR to choose the disk. */
export function workDirectory() {
  const path = mkdtempSync(join(process.env.BENCH_DIR ?? tmpdir(), "nuncio-bench-"));
  process.on("exit", () => rmSync(path, { recursive: true, force: true }));
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
  return path;
}

/** Starts a process and waits for the line that says it listens. `ms` is how long that took. */
async function listening(args, pattern, { ipc = false } = {}) {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe", ...(ipc ? ["ipc"] : [])] });
  const killWithUs = () => child.kill("SIGKILL");
  process.once("exit", killWithUs);
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
  const ms = performance.now() - startedAt;
  child.stdout.resume();
  child.stderr.resume();
  const stop = () =>
    new Promise((resolve) => {
      process.removeListener("exit", killWithUs);
      child.once("exit", resolve);
      child.kill("SIGTERM");
    });
  return { child, output, port, ms, stop };
}

export const startEcho = () => listening([here("servers/echo.mjs")], /listening (\d+)/);

export const startSdk = (kind, directory) =>
  listening([here("servers/sdk.mjs"), kind, join(directory, `sdk-${kind}.db`)], /listening (\d+)/);

/** The listener with nothing behind it, of this build or another, and a key to call it with. */
export async function startEdge(dist = here("../dist")) {
  const { output, ...server } = await listening([here("servers/edge.mjs"), dist], /listening (\d+)/);
  return { ...server, key: /key (\S+)/.exec(output)[1] };
}

export const startFanOut = () => listening([here("servers/fan-out.mjs")], /listening (\d+)/);

/** Writes the configuration that a daemon is started with; returns the file. */
export function writeConfig(directory, yaml) {
  const config = join(directory, "nuncio.yaml");
  writeFileSync(config, yaml);
  return config;
}

export const startDaemon = (config, { nodeArgs = [], ...options } = {}) =>
  listening([...nodeArgs, CLI, "up", "--config", config], SERVING, options);

/** Our daemon, and a key to call it with. */
export async function startNuncio(directory, yaml, { scopes = ["runs:execute"], ...options } = {}) {
  const config = writeConfig(directory, yaml);
  const server = await startDaemon(config, options);
  const args = ["key", "create", "bench", ...scopes.flatMap((scope) => ["--scope", scope])];
  const made = execFileSync(process.execPath, [CLI, ...args, "--config", config, "--json"], { stdio: "pipe" });
  return { ...server, config, key: JSON.parse(made.toString()).key };
}

/** A daemon whose process answers what it holds; see `servers/probe.mjs`. */
export async function startProbed(directory, yaml) {
  const nodeArgs = ["--expose-gc", "--import", here("servers/probe.mjs")];
  const server = await startNuncio(directory, yaml, { nodeArgs, ipc: true });
  const probe = () =>
    new Promise((resolve) => {
      server.child.once("message", resolve);
      server.child.send("probe");
    });
  return { ...server, probe };
}

/** Runs Node to its end and answers how long that took, ms. */
function timed(args) {
  const startedAt = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] });
  const ms = performance.now() - startedAt;
  if (status !== 0) throw new Error(`${args.join(" ")} ended with ${status}: ${stderr}`);
  return ms;
}

/** The yardstick of everything that starts a process. */
export const nodeAlone = () => timed(["-e", "0"]);

export const timedCli = (args) => timed([CLI, ...args]);

/** Runs the load generator once. */
export const load = (options) => answerOf("post-load.mjs", options);

/** A process of ours that prints one line of JSON and ends. */
async function answerOf(script, options) {
  const child = spawn(process.execPath, [here(script), JSON.stringify(options)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  for await (const chunk of child.stdout) output += chunk;
  return JSON.parse(output);
}

/** A process that opens many streams and holds them: `next` resolves with what it reports next. */
export function holdStreams(options) {
  const child = spawn(process.execPath, [here("hold-streams.mjs"), JSON.stringify(options)], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const reports = [];
  const waiting = [];
  child.on("message", (report) => (waiting.shift()?.resolve ?? ((one) => reports.push(one)))(report));
  child.once("exit", (code) => {
    for (const { reject } of waiting) reject(new Error(`hold-streams.mjs ended with ${code}`));
  });
  return {
    next: () =>
      reports.length > 0
        ? Promise.resolve(reports.shift())
        : new Promise((resolve, reject) => waiting.push({ resolve, reject })),
    stop: () =>
      new Promise((resolve) => {
        child.once("exit", resolve);
        child.disconnect();
      }),
  };
}
