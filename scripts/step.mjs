import { spawn } from "node:child_process";

/** The folder of the checkout. */
export const ROOT = new URL("..", import.meta.url).pathname.replace(/\/$/, "");

/** A step that did not work, told so that the reader can do something about it; needs no stack. */
export class StepFailed extends Error {}

/** One line about what happens now, on standard error: standard output belongs to the answer. */
export const say = (text) => process.stderr.write(`${text}\n`);

/**
 * Runs a program to its end. Fails with a sentence when it cannot be started, exits with another code than 0, or
 * takes longer than `minutes`. Its output is shown when it fails, and not otherwise; with `stdout` it goes to that file
 * descriptor (and to standard error) as it comes.
 */
export async function step(command, args, { minutes, env = {}, cwd = ROOT, stdout }) {
  const shown = [command, ...args].join(" ");
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: stdout === undefined ? ["ignore", "pipe", "pipe"] : ["ignore", stdout, 2],
    detached: true,
  });
  const output = tailOf(child.stdout, child.stderr);
  const stopped = stopWithUs(child);
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    killGroup(child);
  }, minutes * 60_000);
  try {
    const [code, signal] = await new Promise((resolve, reject) => {
      child.on("error", (error) => reject(new StepFailed(`${command} could not be started: ${error.message}`)));
      child.on("close", (...outcome) => resolve(outcome));
    });
    if (code === 0 && !late) return;
    say(output());
    if (late) throw new StepFailed(`${shown}\n  did not finish within ${minutes} minutes and was stopped`);
    throw new StepFailed(`${shown}\n  failed with ${signal ?? `exit code ${code}`}; its output is above`);
  } finally {
    clearTimeout(timer);
    stopped();
  }
}

/** Collects what a child prints, and forgets all but the end of it. */
function tailOf(...streams) {
  let text = "";
  for (const stream of streams) {
    stream?.setEncoding("utf8").on("data", (chunk) => {
      text = (text + chunk).slice(-32_768);
    });
  }
  return () => text;
}

/** Kills a child that leads a process group, with whatever it has started. */
export function killGroup(child, signal = "SIGKILL") {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  } catch {
    // It is gone already.
  }
}

/** Takes the child's group down when this process is stopped by a signal. Returns how to forget it. */
function stopWithUs(child) {
  const stop = (signal) => {
    killGroup(child);
    process.exit(128 + (signal === "SIGINT" ? 2 : 15));
  };
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, stop);
  return () => {
    for (const signal of ["SIGINT", "SIGTERM"]) process.removeListener(signal, stop);
  };
}

/** Runs a script's main function; what fails is said in a sentence, and the exit code is 1. */
export async function main(run) {
  // `npm start | head`: whoever read has enough.
  process.stdout.on("error", () => process.exit(1));
  try {
    process.exitCode = await run();
  } catch (error) {
    say(error instanceof StepFailed ? `\n✗ ${error.message}` : error);
    process.exitCode = 1;
  }
}
