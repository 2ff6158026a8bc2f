import { randomBytes } from "node:crypto";
import { closeSync, openSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { NuncioError } from "../../shared/errors.js";
import { makeDirectory } from "../../shared/make-directory.js";
import { readSecretFile, writeSecretFile } from "../../shared/secret-file.js";

export interface KeyFile {
  /** Id of the key that new texts are sealed with. */
  current: string;
  keys: ReadonlyMap<string, SealingKey>;
}

export interface SealingKey {
  /** 32 bytes. */
  key: Buffer;
  /** ISO 8601. */
  createdAt: string;
}

const FORMAT = 1;
const MAX_BYTES = 65_536;
const ID = /^[A-Za-z0-9_-]{1,40}$/;
/** 32 bytes in base64url. */
const KEY = /^[A-Za-z0-9_-]{43}$/;

/** A new key, and the id that it is known by. */
export const newSealingKey = (now: number): [id: string, SealingKey] => [
  randomBytes(6).toString("hex"),
  { key: randomBytes(32), createdAt: new Date(now).toISOString() },
];

/** Null when there is none yet. */
export function readKeyFile(file: string): KeyFile | null {
  const text = readSecretFile(file, MAX_BYTES);
  return text === null ? null : parse(text, file);
}

/** Makes a first one, unless somebody else has just done so. */
export function makeKeyFile(file: string, now: number): void {
  const [id, key] = newSealingKey(now);
  try {
    makeDirectory(dirname(file), 0o700);
    writeSecretFile(file, textOf({ current: id, keys: new Map([[id, key]]) }), false);
  } catch (error) {
    throw fileRefusal(error, file);
  }
}

/** One change at a time, by whichever process: a key that is lost takes with it everything that was sealed with it. */
export function changeKeyFile(file: string, change: (held: KeyFile) => KeyFile): void {
  const unlock = lock(`${file}.lock`);
  try {
    const held = readKeyFile(file);
    if (held === null) throw unreadable(file, "has gone");
    writeSecretFile(file, textOf(change(held)), true);
  } finally {
    unlock();
  }
}

/** A change takes milliseconds: what holds the lock for so long has died. It is not taken from it: two might do so at once. */
const STALE_MS = 30_000;

function lock(file: string): () => void {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw fileRefusal(cause, file);
    const since = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    const died = Date.now() - since > STALE_MS;
    throw new NuncioError("unavailable", `${file} is there: somebody else is changing the sealing keys`, {
      hint: died ? "whoever began to change them has died: remove that file, and try again" : "try again in a minute",
      cause,
    });
  }
  return () => rmSync(file, { force: true });
}

const fileRefusal = (cause: unknown, file: string): NuncioError =>
  new NuncioError("failed_precondition", `${file} cannot be written (${(cause as NodeJS.ErrnoException).code})`, {
    hint: "a directory that this user may write is needed to change the keys",
    cause,
  });

const textOf = ({ current, keys }: KeyFile): string => {
  const listed = [...keys].map(([id, { key, createdAt }]) => ({ id, key: key.toString("base64url"), createdAt }));
  return `${JSON.stringify({ format: FORMAT, current, keys: listed }, null, 2)}\n`;
};

function parse(text: string, file: string): KeyFile {
  const { format, current, keys } = parseJson(text, file) as { format?: unknown; current?: unknown; keys?: unknown };
  if (format !== FORMAT) throw unreadable(file, "is no key file that this version knows");
  const read = new Map<string, SealingKey>();
  for (const entry of Array.isArray(keys) ? keys : []) {
    const { id, key, createdAt } = (entry ?? {}) as Record<string, unknown>;
    if (typeof id !== "string" || !ID.test(id) || typeof key !== "string" || !KEY.test(key)) {
      throw unreadable(file, "has a key that is none");
    }
    read.set(id, { key: Buffer.from(key, "base64url"), createdAt: String(createdAt ?? "") });
  }
  if (typeof current !== "string" || !read.has(current)) throw unreadable(file, "does not have its current key");
  return { current, keys: read };
}

/** What is in the file is in no message: a parser would quote it. */
function parseJson(text: string, file: string): object {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null) return parsed;
  } catch {}
  throw unreadable(file, "is not JSON");
}

const unreadable = (file: string, what: string): NuncioError =>
  new NuncioError("failed_precondition", `the sealing key file ${file} ${what}`, {
    reason: "SEALING_KEY_FILE_UNREADABLE",
    hint: "put back a copy of it: what was sealed cannot be opened without it",
  });
