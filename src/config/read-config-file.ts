import { readTextFile } from "../shared/text-file.js";
import { ConfigError } from "./config-error.js";

const MAX_BYTES = 1024 * 1024;

/** The text of a configuration file, at most 1 MiB. Throws a ConfigError when it cannot be had. */
export async function readConfigFile(file: string): Promise<string> {
  const read = await readTextFile(file, MAX_BYTES);
  if ("text" in read) return read.text;
  const message = `the configuration file ${read.problem}; name one with --config, or make one with nuncio init`;
  throw new ConfigError([{ file, line: 1, column: 1, path: "", message }]);
}
