import pc from "picocolors";
import { harmlessJson } from "./harmless.js";
import { configOption, nextStep } from "./next-step.js";

export type Colors = ReturnType<typeof pc.createColors>;

/** Where a command writes: its result on standard output, everything else on standard error. */
export interface Output {
  readonly json: boolean;
  readonly colors: Colors;
  /** The result: the document with `--json`, the text for people otherwise. */
  result(document: unknown, text: () => string): void;
  /** A piece of the result as it comes, without a line break of its own; nothing with `--json`. */
  write(text: string): void;
  /** A line beside the result: what was done, what to do next. */
  note(line: string): void;
  /** What to do next: a command of ours, which gets the `--config` that this one was given. */
  next(command: string, purpose: string): void;
  /** Shows what is going on in one line that is rewritten; null takes it away. Only on a terminal. */
  status(line: string | null): void;
}

export function createOutput(json: boolean, config?: string, stdout = process.stdout, stderr = process.stderr): Output {
  const colors = pc.createColors(wantsColor(stdout));
  let shown = false;
  const status = (line: string | null) => {
    if (!stderr.isTTY || (line === null && !shown)) return;
    const width = Math.max(20, (stderr.columns || 80) - 1);
    stderr.write(`\r\u001b[K${line === null ? "" : line.slice(0, width)}`);
    shown = line !== null;
  };
  const note = (line: string) => {
    status(null);
    stderr.write(`${line}\n`);
  };
  return {
    json,
    colors,
    result(document, text) {
      status(null);
      const result = json ? harmlessJson(document) : text();
      if (result !== "") stdout.write(`${result}\n`);
    },
    write(text) {
      if (json) return;
      status(null);
      stdout.write(text);
    },
    note,
    next: (command, purpose) => note(nextStep(command + configOption(config), purpose)),
    status,
  };
}

/** https://no-color.org and FORCE_COLOR; otherwise by whether somebody looks. */
function wantsColor(stdout: NodeJS.WriteStream): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  if (NO_COLOR !== undefined && NO_COLOR !== "") return false;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== "" && FORCE_COLOR !== "0") return true;
  return stdout.isTTY === true && TERM !== "dumb";
}
