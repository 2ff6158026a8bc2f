import { join } from "node:path";
import { NuncioError } from "./errors.js";

/** `sizeof(sun_path)` without its closing zero: Linux has 108 bytes, macOS and the BSDs have 104. */
const MAX_PATH_BYTES = process.platform === "linux" ? 107 : 103;

/**
 * The Unix socket that the daemon of a data directory is controlled by. The system would cut a longer path silently or
 * refuse it with a name that nobody understands, so it is said here, where the reader can do something about it.
 */
export function controlSocketPath(dataDir: string): string {
  const path = join(dataDir, "control.sock");
  const bytes = Buffer.byteLength(path);
  if (bytes <= MAX_PATH_BYTES) return path;
  throw new NuncioError(
    "invalid_argument",
    `the control socket's path has ${bytes} bytes, and this system allows ${MAX_PATH_BYTES}: ${path}`,
    { field: "dataDir", hint: "set a shorter dataDir in nuncio.yaml, e.g. dataDir: /var/lib/nuncio" },
  );
}
