import type { ConfigPath, ConfigProblem } from "./config-error.js";
import type { YamlSource } from "./yaml-source.js";

/** Collects what the checks find; each says where, and what would be right. */
export class Findings {
  readonly problems: ConfigProblem[] = [];
  readonly warnings: ConfigProblem[] = [];
  readonly source: YamlSource;

  constructor(source: YamlSource) {
    this.source = source;
  }

  refuse(path: ConfigPath, message: string): void {
    this.problems.push(this.source.problem(path, message));
  }

  warn(path: ConfigPath, message: string): void {
    this.warnings.push(this.source.problem(path, message));
  }
}

export const inOrder = (problems: readonly ConfigProblem[]): ConfigProblem[] =>
  [...problems].sort((a, b) => a.line - b.line || a.column - b.column);
