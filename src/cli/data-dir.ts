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
  const source = new YamlSource(await readConfigFile(configFile), configFile, env, ([key]) => key === "dataDir");
  if (source.problems.length > 0) throw new ConfigError(inOrder(source.problems));
  const named = (source.data as { dataDir?: unknown } | null | undefined)?.dataDir ?? "./data";
  if (typeof named !== "string" || named === "") {
    throw new ConfigError([source.problem(PATH, "use the path of a directory")]);
  }
  return resolve(dirname(configFile), named);
}
