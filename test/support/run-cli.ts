import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { plantedIn } from "./secrets/planted.js";

export const NUNCIO = fileURLToPath(new URL("../../bin/nuncio", import.meta.url));

export interface CliResult {
  code: number | null;
  stdout: string;
  stderr: string;
  /** Standard output as the one document that `--json` promises. */
  // biome-ignore lint/suspicious/noExplicitAny: the tests say what they expect of it
  json(): any;
}

export interface CliOptions {
  cwd?: string;
  env?: Record<string, string>;
  input?: string;
}

export interface RunningCli {
  process: ChildProcessWithoutNullStreams;
  done: Promise<CliResult>;
  /** Resolves when standard output has this text; rejects when the command ends without. */
  untilPrinted(text: string): Promise<void>;
}

/** Starts the command line as a user would, with a small environment of its own. */
export function startCli(args: readonly string[], { cwd, env = {}, input = "" }: CliOptions = {}): RunningCli {
  const child = spawn(process.execPath, [NUNCIO, ...args], {
    cwd,
    env: { PATH: process.env.PATH, NODE_OPTIONS: process.env.NODE_OPTIONS, ...env },
  });
  const printed = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      printed[name] += text;
    });
  }
  child.stdin.end(input);
  const done = once(child, "close").then(([code]): CliResult => {
    // Secrets that a command has just made are its result, and known to nobody before.
    const told = plantedIn(printed.stdout + printed.stderr);
    if (told.length > 0) throw new Error(`R7 \`nuncio ${args.slice(0, 2).join(" ")}\` prints ${told.join(", ")}`);
    return { code: code as number | null, ...printed, json: () => JSON.parse(printed.stdout) };
  });
  // Who waits for another thing is told by that.
  done.catch(() => {});
  return {
    process: child,
    done,
    untilPrinted: (text) =>
      new Promise((resolve, reject) => {
        const look = () => printed.stdout.includes(text) && resolve();
        child.stdout.on("data", look);
        done.then(
          () => reject(new Error(`it ended without ${JSON.stringify(text)}: ${JSON.stringify(printed)}`)),
          reject,
        );
        look();
      }),
  };
}

export const runCli = (args: readonly string[], options?: CliOptions): Promise<CliResult> =>
  startCli(args, options).done;
