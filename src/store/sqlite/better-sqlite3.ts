import { createRequire } from "node:module";
import type Database from "better-sqlite3";
import { NuncioError } from "../../shared/errors.js";
import type { SqlRow } from "../sql/statement.js";
import type { DriverOptions, SqliteDriver } from "./driver.js";

/** For Node 20. better-sqlite3 is an optional dependency, since it is native code: without it the error says what to do. */
export function openBetterSqlite3(file: string, { readOnly = false }: DriverOptions): SqliteDriver {
  const database = new (loadModule())(file, { readonly: readOnly });
  return {
    prepare(text) {
      const statement = database.prepare(text);
      return {
        all: (values) => statement.all(values) as SqlRow[],
        run: (values) => statement.run(values).changes,
      };
    },
    exec: (text) => {
      database.exec(text);
    },
    get inTransaction() {
      return database.inTransaction;
    },
    close: () => {
      database.close();
    },
  };
}

function loadModule(): typeof Database {
  try {
    return createRequire(import.meta.url)("better-sqlite3");
  } catch (cause) {
    throw new NuncioError("unavailable", "the SQLite driver better-sqlite3 is not installed or was not built", {
      hint:
        "use Node 22.13 or later, which has SQLite built in; or run `npm rebuild better-sqlite3`, which needs python3, " +
        "make and a C++ compiler",
      retryable: false,
      cause,
    });
  }
}
