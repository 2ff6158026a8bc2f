import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { parseDocument } from "yaml";
import { mask, substitute } from "../config/variables.js";
import { NuncioError } from "../shared/errors.js";

/**
 * The data directory that a configuration names, and nothing else of it: a command that talks to a running daemon must
 * not fail because a provider's key is missing in this shell.
 */
export async function dataDirOf(configFile: string, env: NodeJS.ProcessEnv): Promise<string> {
  const text = await readFile(configFile, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw unreadable(configFile, error);
  });
  const root: unknown = parseDocument(mask(text), { logLevel: "silent" }).toJS({ maxAliasCount: 100 });
  const named = (root as { dataDir?: unknown } | null)?.dataDir ?? "./data";
  if (typeof named !== "string" || named === "") {
    throw new NuncioError("invalid_argument", `${configFile}: dataDir must be the path of a directory`, {
      field: "dataDir",
    });
  }
  const { value, problem } = substitute(named, env);
  if (problem !== undefined) {
    throw new NuncioError("invalid_argument", `${configFile}: dataDir: ${problem}`, {
      field: "dataDir",
      hint: "give this shell the variables that the daemon has",
    });
  }
  return resolve(dirname(configFile), value);
}

function unreadable(configFile: string, error: NodeJS.ErrnoException): NuncioError {
  const absent = error.code === "ENOENT";
  return new NuncioError(
    "invalid_argument",
    absent ? `there is no ${configFile}` : `cannot read ${configFile}: ${error.code}`,
    {
      field: "config",
      hint: absent
        ? "make one with `nuncio init`, or name yours with --config FILE or NUNCIO_CONFIG"
        : "check its permissions",
      cause: error,
    },
  );
}
