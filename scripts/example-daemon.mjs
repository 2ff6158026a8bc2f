import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, cpSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { basename, join, relative } from "node:path";
import { killGroup, ROOT, StepFailed, say } from "./step.mjs";

const EXAMPLE = join(ROOT, "examples", "orchestrator");
const SCRATCH = join(ROOT, ".nuncio");
const SECONDS_TO_SERVE = 30;
/** More than the grace period that a draining daemon gives its runs. */
const SECONDS_TO_STOP = 20;

/**
 * Starts `nuncio up` on the example and waits until it serves. Its output goes to a log file; the end of that is shown
 * when it dies. `exited` resolves with a sentence when the daemon ends, whoever ended it.
 */
export async function startExample() {
  const { configFile, port } = await configWithFreePort();
  mkdirSync(SCRATCH, { recursive: true, mode: 0o700 });
  const logFile = join(SCRATCH, "start.log");
  const log = openSync(logFile, "w");
  const child = spawn(process.execPath, [join(ROOT, "bin", "nuncio"), "up", "--config", configFile], {
    cwd: ROOT,
    stdio: ["ignore", log, log],
    // A group of its own: Ctrl-C reaches this script only, which then lets the daemon drain.
    detached: true,
  });
  closeSync(log);

  const exited = new Promise((resolve) => {
    child.once("error", (error) => resolve(`the daemon could not be started: ${error.message}`));
    child.once("exit", (code, signal) => {
      resolve(`the daemon ended (${signal ?? `exit code ${code}`}):\n\n${lastLines(logFile)}`);
    });
  });
  const killWithUs = () => killGroup(child);
  process.once("exit", killWithUs);

  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const gone = once(child, "exit");
      killGroup(child, "SIGTERM");
      const timer = setTimeout(() => killGroup(child), SECONDS_TO_STOP * 1000);
      await gone;
      clearTimeout(timer);
    }
    process.removeListener("exit", killWithUs);
  };

  const baseUrl = `http://127.0.0.1:${port}`;
  try {
    await Promise.race([
      untilServing(`${baseUrl}/v1/agents/orchestrator/a2a/.well-known/agent-card.json`, logFile),
      exited.then((reason) => Promise.reject(new StepFailed(reason))),
    ]);
  } catch (error) {
    await stop();
    throw error;
  }
  return { baseUrl, configFile: relative(ROOT, configFile), logFile: relative(ROOT, logFile), exited, stop };
}

async function untilServing(url, logFile) {
  const deadline = Date.now() + SECONDS_TO_SERVE * 1000;
  while (Date.now() < deadline) {
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(2000) });
      await response.arrayBuffer();
      if (response.ok) return;
    } catch {
      // Not listening yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new StepFailed(`the daemon does not serve ${url} after ${SECONDS_TO_SERVE} s:\n\n${lastLines(logFile)}`);
}

/** The example as it is, or a copy of it under .nuncio/ with another port when somebody listens on its own. */
async function configWithFreePort() {
  const configFile = join(EXAMPLE, "nuncio.yaml");
  const text = readFileSync(configFile, "utf8");
  const wanted = Number(/^\s+port: (\d+)/m.exec(text)?.[1] ?? 4700);
  if (await isFree(wanted)) return { configFile, port: wanted };
  const port = await freePort();
  say(`Port ${wanted} is taken, so the example runs on port ${port}, from a copy under .nuncio/.`);
  const copy = join(SCRATCH, `port-${port}`);
  rmSync(copy, { recursive: true, force: true });
  cpSync(EXAMPLE, copy, { recursive: true, filter: (source) => basename(source) !== ".nuncio" });
  const changed = text.replace(/^(\s+port: )\d+/m, `$1${port}`);
  if (changed === text) throw new StepFailed(`${configFile} names no port that could be changed`);
  writeFileSync(join(copy, "nuncio.yaml"), changed);
  return { configFile: join(copy, "nuncio.yaml"), port };
}

async function isFree(port) {
  try {
    (await listenOn(port)).close();
    return true;
  } catch {
    return false;
  }
}

async function freePort() {
  const server = await listenOn(0);
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

async function listenOn(port) {
  const server = createServer();
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return server;
}

const lastLines = (file) => readFileSync(file, "utf8").trimEnd().split("\n").slice(-20).join("\n");
