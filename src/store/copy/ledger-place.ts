import { statSync } from "node:fs";
import { resolve } from "node:path";
import { invalidArgument } from "../../shared/errors.js";
import { placeOf } from "../postgres/connection.js";

/** Where a ledger is. */
export type LedgerPlace =
  | { type: "sqlite"; file: string }
  /** The URL may have a password in it. */
  | { type: "postgres"; url: string; schema: string };

const DEFAULT_SCHEMA = "nuncio";
/** What PostgreSQL takes for the name of a schema without quotes. */
const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,62}$/;

/** As it is shown: without user and password. */
export const postgresPlace = ({ url, schema }: { url: string; schema: string }): string =>
  `postgres://${placeOf(url)}${schema === DEFAULT_SCHEMA ? "" : `?schema=${schema}`}`;

/**
 * `sqlite:PATH` with the path of a data directory or of a file, or `postgres://…` with `?schema=NAME`. What is wrong is said
 * without showing the text, in which there may be a password.
 *
 * @param option that the text comes from, for errors
 */
export function parsePlace(text: string, option: string): LedgerPlace {
  if (text.startsWith("sqlite:")) {
    // The form of a URL is taken as well: sqlite:///var/lib/nuncio.
    const path = text.slice("sqlite:".length).replace(/^\/\/(?=\/)/, "");
    if (path === "" || path.startsWith("//")) {
      throw invalidArgument(option, `${option} names no path; use sqlite:PATH, a data directory or a file`);
    }
    return { type: "sqlite", file: ledgerFileAt(resolve(path)) };
  }
  if (/^postgres(?:ql)?:\/\/./.test(text)) return parsePostgres(text, option);
  throw invalidArgument(
    option,
    `${option} names no ledger; use sqlite:PATH or postgres://HOST:PORT/DATABASE?schema=NAME`,
  );
}

function parsePostgres(text: string, option: string): LedgerPlace {
  let address: URL;
  try {
    address = new URL(text);
  } catch {
    throw invalidArgument(option, `${option} is not a URL of PostgreSQL; use postgres://HOST:PORT/DATABASE`, {
      hint: "in user and password, write what is no letter or digit as %XX",
    });
  }
  const schema = address.searchParams.get("schema") ?? DEFAULT_SCHEMA;
  if (!SCHEMA_NAME.test(schema)) {
    throw invalidArgument(option, `${option} has a schema that cannot be used; use lower-case letters, digits and _`);
  }
  address.searchParams.delete("schema");
  return { type: "postgres", url: address.href, schema };
}

/** A directory holds `ledger.db`; a path that is not there is a directory unless it has the name of a file. */
function ledgerFileAt(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  const isFile = found === undefined ? /\.(?:db|sqlite3?)$/.test(path) : !found.isDirectory();
  return isFile ? path : resolve(path, "ledger.db");
}
