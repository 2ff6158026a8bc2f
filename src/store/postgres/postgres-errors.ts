import { NuncioError } from "../../shared/errors.js";

/** SQLSTATE classes and codes after which the same command may succeed later. https://www.postgresql.org/docs/15/errcodes-appendix.html */
const UNAVAILABLE: readonly [prefix: string, text: string][] = [
  ["08", "the connection to PostgreSQL was lost"],
  ["57P", "PostgreSQL is restarting or has closed the connection"],
  ["53100", "the disk of PostgreSQL is full"],
  ["53300", "PostgreSQL has no connection left for this node"],
  ["53", "PostgreSQL has run out of a resource"],
  ["25006", "PostgreSQL takes no writes: it is a standby, or was made read-only"],
  ["25P03", "PostgreSQL has ended a transaction that stood still for too long"],
  ["40", "transactions got in each other's way too often"],
  ["55P03", "a lock was not to be had in time"],
  ["57014", "a statement took too long"],
  ["58", "the system that PostgreSQL runs on reported an error"],
  ["XX001", "PostgreSQL reports damaged data"],
];

/** Text that PostgreSQL cannot hold, such as a NUL character. */
const UNSTORABLE = new Set(["22021", "22P05"]);

/** SQLSTATE of an answer of the server; undefined when there was no answer. */
export function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown })?.code;
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) && !SYSTEM_CALL.test(code) ? code : undefined;
}

/** Codes of Node's own, of which some have five letters, too. */
const SYSTEM_CALL = /^E(?:PIPE|PERM|BUSY|INTR|AGAIN|FAULT|NODEV|XIST)$/;

/** The server undid the transaction because of others, and it may be run again at once. */
export const isCollision = (error: unknown): boolean => ["40001", "40P01"].includes(sqlState(error) ?? "");

/** Nobody can say anything more over this connection. */
export function isConnectionLoss(error: unknown): boolean {
  const state = sqlState(error);
  return state === undefined || /^(?:08|57P|25P03)/.test(state);
}

/** What callers are told: never the text of a statement, a value, an address or a password. */
export function fromPostgres(error: unknown): unknown {
  if (NuncioError.is(error)) return error;
  const state = sqlState(error);
  if (state === undefined) {
    if (!isOfTheDriver(error)) return error;
    return new NuncioError("unavailable", "PostgreSQL cannot be reached", {
      reason: "POSTGRES_UNREACHABLE",
      hint: "send the request again; the operator should look at the database",
      cause: error,
    });
  }
  if (UNSTORABLE.has(state)) {
    return new NuncioError("invalid_argument", "a text holds a character that cannot be stored, such as NUL", {
      cause: error,
    });
  }
  const text = UNAVAILABLE.find(([prefix]) => state.startsWith(prefix))?.[1];
  if (text !== undefined) return new NuncioError("unavailable", text, { reason: `POSTGRES_${state}`, cause: error });
  return new NuncioError("internal", `the ledger refused a statement (${state})`, { cause: error });
}

/** Errors of sockets, and those that `pg` makes when a connection ends or cannot be had; ours have other texts. */
function isOfTheDriver(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (typeof code === "string" && /^E[A-Z_]+$/.test(code)) return true;
  return (
    typeof message === "string" && /connection|connect|timeout|Client was closed|not queryable|pool/i.test(message)
  );
}
