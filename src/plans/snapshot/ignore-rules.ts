import ignore, { type Ignore } from "ignore";
import { NuncioError } from "../../shared/errors.js";

/** What no pattern of anybody brings back: what is no work, and what is likely to be a secret. */
const NEVER: readonly (readonly [name: RegExp, why: string])[] = [
  [/^(\.git|\.hg|\.svn|\.jj)$/i, "the history of the repository"],
  [/^node_modules$/, "installed packages"],
  [/^\.env(\..*)?$|^\.envrc$/i, "may hold secrets"],
  [/^\.(netrc|npmrc|pypirc|pgpass|git-credentials|htpasswd|dockercfg)$|^_netrc$/i, "may hold secrets"],
  [/^\.(ssh|gnupg|aws|azure|gcloud|kube|docker)$/i, "may hold secrets"],
  [/^id_(rsa|dsa|ecdsa|ed25519)([._-].*)?$/i, "may hold secrets"],
  [/\.(pem|key|p8|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg)$/i, "may hold secrets"],
  [/^(credentials|secrets?)(\.(json|ya?ml|toml|ini|txt))?$/i, "may hold secrets"],
];

const MAX_LINES = 2000;
const MAX_LINE = 512;
/** Each more makes the match of a long name slower by its length. */
const WILDCARDS_IN_NAME = 3;
const WILDCARDS_IN_LINE = 8;

interface Layer {
  /** The directory that the patterns stand in, with a slash at the end; empty for the top. */
  base: string;
  patterns: Ignore;
}

/**
 * Why a path is left out, by its name and by patterns as in `.gitignore` files: of those that say something about a path
 * the one furthest down decides, and those of the plan before all. What is in an ignored directory is not looked at.
 */
export class IgnoreRules {
  readonly #ofPlan: Ignore;
  readonly #layers: readonly Layer[];

  private constructor(ofPlan: Ignore, layers: readonly Layer[]) {
    this.#ofPlan = ofPlan;
    this.#layers = layers;
  }

  static of(patterns: readonly string[]): IgnoreRules {
    return new IgnoreRules(compile(patterns, "ignore"), []);
  }

  /** With the `.gitignore` of a directory. */
  with(directory: string, gitignore: string): IgnoreRules {
    const base = directory === "" ? "" : `${directory}/`;
    const patterns = compile(gitignore.split(/\r?\n/), `${base}.gitignore`);
    return new IgnoreRules(this.#ofPlan, [{ base, patterns }, ...this.#layers]);
  }

  /** @param path from the top of the workspace, with `/` between names and none at the end */
  leavesOut(path: string, isDirectory: boolean): string | null {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const never = NEVER.find(([pattern]) => pattern.test(name));
    if (never !== undefined) return never[1];
    const asked = isDirectory ? `${path}/` : path;
    const ofPlan = this.#ofPlan.test(asked);
    if (ofPlan.ignored) return "ignored by the plan";
    if (ofPlan.unignored) return null;
    for (const { base, patterns } of this.#layers) {
      const { ignored, unignored } = patterns.test(asked.slice(base.length));
      if (ignored) return `ignored by ${base}.gitignore`;
      if (unignored) return null;
    }
    return null;
  }
}

function compile(lines: readonly string[], where: string): Ignore {
  if (lines.length > MAX_LINES) throw tooComplex(where, MAX_LINES + 1, `more than ${MAX_LINES} lines`);
  lines.forEach((line, index) => {
    if (line.startsWith("#")) return;
    if (line.length > MAX_LINE) throw tooComplex(where, index + 1, `a pattern of more than ${MAX_LINE} characters`);
    const wildcards = (text: string): number => text.match(/\*+|\?|\[/g)?.length ?? 0;
    if (wildcards(line) > WILDCARDS_IN_LINE || line.split("/").some((name) => wildcards(name) > WILDCARDS_IN_NAME)) {
      throw tooComplex(where, index + 1, "a pattern with too many wildcards");
    }
  });
  try {
    return ignore({ allowRelativePaths: true }).add(lines);
  } catch (cause) {
    throw new NuncioError("failed_precondition", `${where} holds a pattern that cannot be read`, { cause });
  }
}

/** Whoever wrote the workspace must not be able to keep the daemon busy for hours. */
const tooComplex = (where: string, line: number, what: string): NuncioError =>
  new NuncioError("failed_precondition", `${where}:${line} has ${what}`, {
    field: "workspace",
    reason: "IGNORE_TOO_COMPLEX",
    hint: `at most ${WILDCARDS_IN_NAME} wildcards in a name and ${WILDCARDS_IN_LINE} in a line are taken`,
  });
