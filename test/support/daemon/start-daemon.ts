import { type ChildProcess, spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { stringify } from "yaml";
import { type ControlClient, connect } from "../../../src/client/control-client.js";
import { controlSocketPath } from "../../../src/shared/control-socket.js";

const NUNCIO = fileURLToPath(new URL("../../../bin/nuncio", import.meta.url));
const SERVING = /^serving (http:\/\/\S+);/;

export interface DaemonOptions {
  /** Further files beside nuncio.yaml, by relative path. */
  files?: Record<string, string>;
  /** Added to a small environment of the test's own. */
  env?: Record<string, string>;
}

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  /** The log, and what was said to the operator. */
  stderr: string;
}

/** A daemon in a process of its own, in a directory of its own; both are gone after the test. */
export interface TestDaemon {
  readonly configFile: string;
  readonly dataDir: string;
  readonly controlSocket: string;
  readonly client: ControlClient;
  /** Of the listener; another one after a restart, since the port is a free one. */
  readonly url: string;
  readonly pid: number;
  /** Resolves with the first line of this process's log that is looked for, whether it was written already or not. */
  logged(isIt: (line: Record<string, unknown>) => boolean): Promise<Record<string, unknown>>;
  /** Ends the process and resolves when it is gone. The client's open calls fail with it. */
  kill(signal: NodeJS.Signals): Promise<Exit>;
  /** Resolves when the current process has ended, whoever ended it. */
  readonly exited: Promise<Exit>;
  /** Starts a new process on the same directory; resolves when it serves. The old one must have ended. */
  restart(): Promise<void>;
  /** The same without waiting: to see what becomes of it while it starts. */
  begin(): void;
  /** Writes a new configuration, for the next start. */
  configure(config: object): void;
}

/**
 * Writes `config` as nuncio.yaml into a new directory and runs `nuncio up` on it. Unless it says otherwise the daemon
 * listens on a free port, lets anonymous callers in and has no console.
 */
export async function startDaemon(config: object, options: DaemonOptions = {}): Promise<TestDaemon> {
  const place = daemonDirectory(config, options);
  let running = spawnDaemon(place.configFile, options.env);
  onTestFinished(async () => {
    running.process.kill("SIGKILL");
    await running.exited;
    place.remove();
  });
  let url = await running.serving;

  const { configFile, dataDir } = place;
  const controlSocket = controlSocketPath(dataDir);
  return {
    configFile,
    dataDir,
    controlSocket,
    client: connect(controlSocket),
    get url() {
      return url;
    },
    get pid() {
      return running.process.pid as number;
    },
    logged: (isIt) => running.logged(isIt),
    get exited() {
      return running.exited;
    },
    kill(signal) {
      running.process.kill(signal);
      return running.exited;
    },
    async restart() {
      running = spawnDaemon(configFile, options.env);
      url = await running.serving;
    },
    begin() {
      running = spawnDaemon(configFile, options.env);
    },
    configure: place.write,
  };
}

/** A start that is expected to be refused: resolves with what the process said. */
export async function startRefused(configFile: string, env?: Record<string, string>): Promise<Exit> {
  const { process: child, serving, exited } = spawnDaemon(configFile, env);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  const url = await serving.catch(() => null);
  if (url !== null) throw new Error(`the daemon serves ${url}, and should have been refused`);
  return exited;
}

export interface DaemonDirectory {
  configFile: string;
  dataDir: string;
  write(config: object): void;
  remove(): void;
}

/** A directory with a configuration, and no daemon yet. */
export function daemonDirectory(config: object, { files = {} }: DaemonOptions = {}): DaemonDirectory {
  // Short: the path of a Unix socket has about a hundred bytes.
  const directory = mkdtempSync(join(tmpdir(), "nuncio-"));
  const configFile = join(directory, "nuncio.yaml");
  const write = (content: object) => {
    writeFileSync(
      configFile,
      stringify({ server: { port: 0 }, console: false, access: { anonymous: true }, ...content }),
    );
  };
  write(config);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  return {
    configFile,
    dataDir: join(directory, "data"),
    write,
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

interface Running {
  process: ChildProcess;
  /** The URL, as soon as it is announced; rejects when the process ends before. */
  serving: Promise<string>;
  exited: Promise<Exit>;
  logged: TestDaemon["logged"];
}

/** What runs, should the test run itself be ended: nothing outlives it. */
const alive = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of alive) child.kill("SIGKILL");
});

function spawnDaemon(configFile: string, env: Record<string, string> = {}): Running {
  const child = spawn(process.execPath, [NUNCIO, "up", "--config", configFile], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env.PATH, ...env },
  });
  alive.add(child);
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  const stderr: string[] = [];
  const lines = new EventEmitter();
  const exited = (async (): Promise<Exit> => {
    const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
    alive.delete(child);
    return { code, signal, stdout, stderr: stderr.join("\n") };
  })();
  createInterface(child.stderr).on("line", (line) => {
    stderr.push(line);
    lines.emit("line", line);
  });

  /** What `find` makes of the first line that it makes something of; rejects when the process ends before. */
  const firstLine = <T>(find: (line: string) => T | undefined): Promise<T> =>
    new Promise((resolve, reject) => {
      const look = (line: string) => {
        const found = find(line);
        if (found === undefined) return;
        lines.removeListener("line", look);
        resolve(found);
      };
      lines.on("line", look);
      for (const line of [...stderr]) look(line);
      void exited.then((exit) => reject(new Error(`the daemon has ended:\n${exit.stderr}`)));
    });

  const serving = firstLine((line) => SERVING.exec(line)?.[1]);
  // Nobody may be waiting for it any more when the process ends.
  serving.catch(() => {});
  const logged: TestDaemon["logged"] = (isIt) =>
    firstLine((line) => {
      if (!line.startsWith("{")) return undefined;
      const entry = JSON.parse(line);
      return isIt(entry) ? entry : undefined;
    });
  return { process: child, serving, exited, logged };
}
