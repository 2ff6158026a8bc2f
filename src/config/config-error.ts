import { NuncioError } from "../shared/errors.js";

export type ConfigPath = readonly (string | number)[];

/** Something wrong or doubtful in a file, at the place where it is put right. Line and column count from 1. */
export interface ConfigProblem {
  file: string;
  line: number;
  column: number;
  /** E.g. `personas[0].maxConcurrent`; empty when it is about the file. */
  path: string;
  /** The value, what is wrong with it, and what would be right. */
  message: string;
}

const SHOWN = 20;

/** A configuration that is refused; the message has a line for each problem. */
export class ConfigError extends NuncioError {
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    const lines = problems.slice(0, SHOWN).map(formatProblem);
    if (problems.length > SHOWN) lines.push(`… and ${problems.length - SHOWN} more`);
    super("invalid_argument", lines.join("\n"), { field: problems[0]?.path ?? "" });
    this.name = "ConfigError";
    this.problems = problems;
  }
}

/** `nuncio.yaml:12:7: a2a.maxHops: 99 is out of bounds; use a whole number from 1 to 32` */
export function formatProblem(problem: ConfigProblem): string {
  const { file, line, column, path, message } = problem;
  return path === "" ? `${file}:${line}:${column}: ${message}` : `${file}:${line}:${column}: ${path}: ${message}`;
}

/** `["personas", 0, "name"]` as `personas[0].name`; keys that would be misread are quoted. */
export function formatPath(path: ConfigPath): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else if (/^[A-Za-z0-9_-]{1,64}$/.test(step)) text += text === "" ? step : `.${step}`;
    else text += `[${shorten(JSON.stringify(step))}]`;
  }
  return text;
}

export const shorten = (text: string, limit = 80): string => (text.length > limit ? `${text.slice(0, limit)}…` : text);
