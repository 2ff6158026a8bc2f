import { join } from "node:path";
import { NuncioError } from "../../shared/errors.js";
import { openBetterSqlite3 } from "./better-sqlite3.js";

/**
 * Holds a data directory for one process, as an open transaction on a file of its own: the operating system drops the
 * lock when the process dies, however it dies, so there is never a stale one.
 */
export function lockDirectory(directory: string): { release(): void } {
  const driver = openBetterSqlite3(join(directory, "daemon.lock"));
  try {
    driver.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE");
  } catch (cause) {
    driver.close();
    throw new NuncioError("failed_precondition", `another daemon is running on ${directory}`, {
      reason: "DATA_DIRECTORY_IN_USE",
      hint: "stop it first (`nuncio status` names its pid), or give this one a dataDir of its own",
      cause,
    });
  }
  return { release: () => driver.close() };
}
