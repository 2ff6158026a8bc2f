import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { NuncioError } from "./errors.js";

/** Mode bits of everybody but the owner. */
const OTHERS = 0o077;

/**
 * Reads a file that holds secrets: a regular file of this user, with mode 0600 or stricter, at most `maxBytes`. Every check
 * is made on the file that was opened, so that it cannot be exchanged in between; a link is not followed.
 *
 * @returns null when it is not there
 * @throws NuncioError SECRET_FILE_REFUSED
 */
export function readSecretFile(file: string, maxBytes: number): string | null {
  let descriptor: number;
  try {
    // A pipe without a writer would hang here.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return null;
    if (code === "ELOOP" || code === "EMLINK") throw refused(file, "is a link", "name the file itself");
    throw refused(file, `cannot be read (${code})`, "run this as the user that owns it", error);
  }
  try {
    const found = fstatSync(descriptor);
    if (!found.isFile()) throw refused(file, "is not a regular file", "name a file");
    if (found.uid !== process.getuid?.()) {
      throw refused(file, "belongs to another user", "run this as the user that owns it");
    }
    if ((found.mode & OTHERS) !== 0) {
      const mode = (found.mode & 0o777).toString(8).padStart(4, "0");
      throw refused(file, `has mode ${mode}: others may use it`, `chmod 600 ${file}, if nobody else has read it`);
    }
    return readText(descriptor, file, maxBytes);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Writes a file that holds secrets, with mode 0600: whole or not at all, and on the disk when this returns.
 *
 * @param replace false to leave a file alone that is there
 * @returns whether it was written
 */
export function writeSecretFile(file: string, text: string, replace: boolean): boolean {
  const draft = `${file}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: "wx", flush: true });
    if (replace) renameSync(draft, file);
    else if (!linkUnlessThere(draft, file)) return false;
    syncDirectory(dirname(file));
    return true;
  } finally {
    rmSync(draft, { force: true });
  }
}

function linkUnlessThere(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Without it the new name may be gone after a power cut. */
function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, constants.O_RDONLY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** The size is not believed: a file may grow while it is read. */
function readText(descriptor: number, file: string, maxBytes: number): string {
  const bytes = Buffer.alloc(maxBytes + 1);
  let length = 0;
  while (length < bytes.length) {
    const read = readSync(descriptor, bytes, length, bytes.length - length, null);
    if (read === 0) break;
    length += read;
  }
  if (length > maxBytes) throw refused(file, `is larger than ${maxBytes} bytes`, "name the right file");
  return bytes.toString("utf8", 0, length);
}

const refused = (file: string, what: string, hint: string, cause?: unknown): NuncioError =>
  new NuncioError("failed_precondition", `${file} ${what}`, {
    reason: "SECRET_FILE_REFUSED",
    hint,
    ...(cause === undefined ? {} : { cause }),
  });
