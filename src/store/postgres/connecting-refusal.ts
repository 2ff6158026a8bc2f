import { NuncioError } from "../../shared/errors.js";
import { sqlState } from "./postgres-errors.js";

interface Refusal {
  /** In our words; without it those of PostgreSQL. */
  why?: string;
  hint: string;
}

const NOBODY_THERE = "start the server, or correct host and port of the URL";
const NO_HOST: Refusal = { why: "its host is not known", hint: "correct the host of the URL" };

/** By SQLSTATE, or by the code that Node gives a socket's error. */
const BY_CODE: Readonly<Record<string, Refusal>> = {
  ENOTFOUND: NO_HOST,
  EAI_AGAIN: NO_HOST,
  ECONNREFUSED: { why: "nothing listens there", hint: NOBODY_THERE },
  ETIMEDOUT: { why: "no answer", hint: NOBODY_THERE },
  EHOSTUNREACH: { why: "its host cannot be reached", hint: NOBODY_THERE },
  "28P01": {
    hint: "correct user and password of the URL; characters such as @ : / in them are written as %40 %3A %2F",
  },
  "28000": { hint: "correct the user of the URL, and see that pg_hba.conf lets it in from this machine" },
  "3D000": { hint: "make the database (`createdb`), or name another one in the URL" },
  "3F000": { why: "this user may not use the schema", hint: "name another schema, or the user that owns this one" },
  "42501": { hint: "grant this user CREATE on the database, or make a schema that it owns and name that one" },
};

/** What only the text of `pg` or of OpenSSL tells. */
const BY_TEXT: readonly [RegExp, Refusal][] = [
  [/client password must be/, { why: "it wants a password", hint: "write the URL as postgres://user:password@host/…" }],
  [/does not support SSL/, { why: "it does not speak TLS", hint: "set up TLS there, or leave sslmode out of the URL" }],
  [
    /certificate|altnames/i,
    {
      why: "its certificate is not trusted",
      hint: "name the authority with sslrootcert in the URL, and the host as in the certificate",
    },
  ],
];

const UNKNOWN =
  "check the URL, that the server runs and lets this user in, and that the user may create a schema there";

/** Why a daemon or a command cannot work on this database. Names the place, without user and password. */
export function connectingRefusal(error: unknown, place: string): NuncioError {
  const state = sqlState(error);
  const { code, message = "" } = error as { code?: string; message?: string };
  const known = BY_CODE[state ?? code ?? ""] ?? BY_TEXT.find(([text]) => text.test(message))?.[1];
  const why = known?.why ?? (state === undefined ? (code ?? "no answer") : message.slice(0, 200));
  return new NuncioError("failed_precondition", `PostgreSQL at ${place} cannot be used: ${why}`, {
    reason: state === undefined ? "POSTGRES_UNREACHABLE" : `POSTGRES_${state}`,
    field: "storage.url",
    hint: known?.hint ?? UNKNOWN,
    cause: error,
  });
}
