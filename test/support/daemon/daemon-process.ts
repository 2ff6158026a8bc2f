import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { stringify } from "yaml";

const NUNCIO = fileURLToPath(new URL("../../../bin/nuncio", import.meta.url));
const SERVING = /^serving (http:\/\/\S+);/;

export interface DaemonOptions {
  /** Further files beside nuncio.yaml, by relative path. */
  files?: Record<string, string>;
  /** Added to a small environment of the test's own. */
  env?: Record<string, string>;
  /** Further options of `nuncio up`. */
  args?: readonly string[];
}

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  /** The log, and what was said to the operator. */
  stderr: string;
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

/** One process of a daemon. */
export interface DaemonProcess {
  process: ChildProcess;
  /** The URL, as soon as it is announced; rejects when the process ends before. */
  serving: Promise<string>;
  exited: Promise<Exit>;
  /** The lines of its log so far. */
  said(): readonly string[];
  /** Resolves with the first line of its log that is looked for, whether it was written already or not. */
  logged(isIt: (line: Record<string, unknown>) => boolean): Promise<Record<string, unknown>>;
}

export interface SpawnOptions {
  env?: Record<string, string> | undefined;
  args?: readonly string[];
  /** A channel for messages to what is loaded into the process beside the daemon. */
  ipc?: boolean;
  /** Runs as this user and group. */
  user?: number;
}

/** What runs, should the test run itself be ended: nothing outlives it. */
const alive = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of alive) child.kill("SIGKILL");
});

/** Runs `nuncio up` on a configuration that is there. */
export function spawnDaemon(
  configFile: string,
  { env = {}, args = [], ipc = false, user }: SpawnOptions = {},
): DaemonProcess {
  const child = spawn(process.execPath, [NUNCIO, "up", "--config", configFile, ...args], {
    stdio: ["ignore", "pipe", "pipe", ...(ipc ? ["ipc" as const] : [])],
    env: { PATH: process.env.PATH, NODE_OPTIONS: process.env.NODE_OPTIONS, ...env },
    ...(user !== undefined && { uid: user, gid: user }),
  });
  alive.add(child);
  const { stdout: out, stderr: log } = child as ChildProcessByStdio<null, Readable, Readable>;
  let stdout = "";
  out.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  const stderr: string[] = [];
  const lines = new EventEmitter();
  const exited = (async (): Promise<Exit> => {
    const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
    alive.delete(child);
    return { code, signal, stdout, stderr: stderr.join("\n") };
  })();
  createInterface(log).on("line", (line) => {
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
  const logged: DaemonProcess["logged"] = (isIt) =>
    firstLine((line) => {
      if (!line.startsWith("{")) return undefined;
      const entry = JSON.parse(line);
      return isIt(entry) ? entry : undefined;
    });
  return { process: child, serving, exited, said: () => stderr, logged };
}
