import { openBetterSqlite3 } from "./better-sqlite3.js";
import type { DriverOptions, SqliteDriver } from "./driver.js";
import { nodeSqlite, openNodeSqlite } from "./node-sqlite.js";

/** Opens a file with the SQLite that comes with Node where there is one, which needs no native build; else with better-sqlite3. */
export function openDriver(file: string, options: DriverOptions = {}): SqliteDriver {
  const builtIn = nodeSqlite();
  return builtIn === undefined ? openBetterSqlite3(file, options) : openNodeSqlite(builtIn, file, options);
}
