import { dirname, resolve } from "node:path";
import { ConfigError } from "../config/config-error.js";
import { inOrder } from "../config/findings.js";
import { readConfigFile } from "../config/read-config-file.js";
import { YamlSource } from "../config/yaml-source.js";

const PATH = ["dataDir"];

/**
 * The data directory that a configuration names, and nothing else of it: a command that talks to a running daemon must
 * not fail because a provider's key is missing in this shell. The file is read within the same bounds as by the daemon.
 */
export async function dataDirOf(configFile: string, env: NodeJS.ProcessEnv): Promise<string> {
  return namedIn(await read(configFile, env), configFile);
}

/** The same, for what is done to the ledger as a file: refuses a configuration whose ledger is elsewhere. */
export async function sqliteDataDirOf(configFile: string, env: NodeJS.ProcessEnv): Promise<string> {
  const source = await read(configFile, env);
  const { storage } = (source.data ?? {}) as { storage?: { type?: unknown } | null };
  if (storage?.type !== undefined && storage.type !== "sqlite") {
    const message = "the ledger is not a file here: this command is for type: sqlite; use the tools of the database";
    throw new ConfigError([source.problem(["storage", "type"], message)]);
  }
  return namedIn(source, configFile);
}

async function read(configFile: string, env: NodeJS.ProcessEnv): Promise<YamlSource> {
  const source = new YamlSource(await readConfigFile(configFile), configFile, env, ([key]) => key === "dataDir");
  if (source.problems.length > 0) throw new ConfigError(inOrder(source.problems));
  return source;
}

function namedIn(source: YamlSource, configFile: string): string {
  const named = (source.data as { dataDir?: unknown } | null | undefined)?.dataDir ?? "./data";
  if (typeof named !== "string" || named === "") {
    throw new ConfigError([source.problem(PATH, "use the path of a directory")]);
  }
  return resolve(dirname(configFile), named);
}
