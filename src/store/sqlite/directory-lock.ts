import { join } from "node:path";
import { NuncioError } from "../../shared/errors.js";
import type { SqliteDriver } from "./driver.js";
import { openDriver } from "./open-driver.js";
import { openingRefusal } from "./sqlite-errors.js";

/**
 * Holds a data directory for one process, as an open transaction on a file of its own: the operating system drops the
 * lock when the process dies, however it dies, so there is never a stale one.
 */
export function lockDirectory(directory: string): { release(): void } {
  const file = join(directory, "daemon.lock");
  let driver: SqliteDriver | undefined;
  try {
    driver = openDriver(file);
    driver.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE");
  } catch (error) {
    driver?.close();
    const cause = openingRefusal(error, file);
    if (!NuncioError.is(cause) || cause.reason !== "SQLITE_BUSY") throw cause;
    throw new NuncioError("failed_precondition", `another daemon is running on ${directory}`, {
      reason: "DATA_DIRECTORY_IN_USE",
      hint: "stop it first (`nuncio status` names its pid), or name another dataDir",
      cause,
    });
  }
  const held = driver;
  return { release: () => held.close() };
}
