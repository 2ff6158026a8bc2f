import { type ChildProcess, spawn } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import { LastBytes } from "./last-bytes.js";
import { terminate } from "./terminate/terminate.js";

const MAX_ERROR_OUTPUT = 8 * 1024;
/** What is still in the pipes when everything has ended is there at once. */
const LAST_OUTPUT_MS = 1000;

export interface ChildSpec {
  command: string;
  args: readonly string[];
  env: Record<string, string>;
  cwd: string | undefined;
  /** Null closes the standard input at once. */
  stdin: string | null;
  /** Value of the marker variable in `env`. */
  marker: string;
  /** How long the processes get to end by themselves once they are told to, ms. */
  graceMs: number;
  signal: AbortSignal;
  onOutput(text: string, bytes: number): void;
}

interface ProgramEnd {
  /** Null when a signal ended it. */
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface ChildEnd extends ProgramEnd {
  /** The end of what it said on standard error. */
  errorOutput: string;
}

/**
 * Runs a program in a process group of its own. When it ends, and when `signal` aborts, everything that it has started
 * is ended as well before the promise settles: nothing of an attempt outlives the attempt.
 *
 * Rejects with the reason of `signal`, or with the system's error when the program could not be started. If we die in
 * here, the program is left behind and loses its output; the next attempt starts it again.
 */
export async function runChild(spec: ChildSpec): Promise<ChildEnd> {
  spec.signal.throwIfAborted();
  const child = spawn(spec.command, spec.args, {
    cwd: spec.cwd,
    env: spec.env,
    detached: true,
    stdio: [spec.stdin === null ? "ignore" : "pipe", "pipe", "pipe"],
  });
  const closed = closing(child);
  const { pid } = child;
  if (pid === undefined) return closed as Promise<never>;

  let ending: Promise<void> | undefined;
  const givenUp = new Promise<ProgramEnd>((resolve) => {
    const end = () => {
      ending ??= terminate({ pid, marker: spec.marker }, spec.graceMs).then(async (gone) => {
        // Something that cannot be killed, or was not found, may hold the pipes open for ever: we wait no longer.
        if (gone) await within(closed, LAST_OUTPUT_MS);
        child.stdout?.destroy();
        child.stderr?.destroy();
        resolve({ code: child.exitCode, signal: child.signalCode });
      });
    };
    child.once("exit", end);
    spec.signal.addEventListener("abort", end, { once: true });
  });

  const decoder = new StringDecoder("utf8");
  const errors = new LastBytes(MAX_ERROR_OUTPUT);
  child.stdout?.on("data", (chunk: Buffer) => spec.onOutput(decoder.write(chunk), chunk.length));
  child.stderr?.on("data", (chunk: Buffer) => errors.write(chunk));
  // A program need not read its input to the end.
  child.stdin?.on("error", () => {});
  child.stdin?.end(spec.stdin);

  const { code, signal } = await Promise.race([closed, givenUp]);
  await ending;
  spec.signal.throwIfAborted();
  spec.onOutput(decoder.end(), 0);
  return { code, signal, errorOutput: errors.text() };
}

/** The streams are closed and the program has ended, or it could not be started. */
const closing = (child: ChildProcess): Promise<ProgramEnd> =>
  new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal }));
  });

/** Resolves when `work` has ended, however, or after `ms`. */
async function within(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work.catch(() => {}), late]);
  clearTimeout(timer);
}
