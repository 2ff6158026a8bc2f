import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
} from "node:fs";
import { join } from "node:path";
import { NuncioError } from "../../shared/errors.js";

/** A file that is written to at this moment is read again so often. */
const TRIES = 3;

export type ReadInside = { content: Uint8Array } | { leftOut: string; bytes: number };

/**
 * The bytes of the regular file at a path below `root`. No link is followed at its end, and what was opened must be what
 * stands at that path with no link on the way: whoever swaps a directory in between gets nothing out from elsewhere. A pipe
 * does not hold us up.
 *
 * It is done without a pause: for ten thousand files the way through the thread pool took twenty times as long.
 *
 * @param root absolute, with no link in it
 * @throws NuncioError failed_precondition FILE_CHANGED when it changes each time that it is read
 */
export function readInside(root: string, path: string, maxBytes: number): ReadInside {
  for (let tries = 0; tries < TRIES; tries++) {
    const read = readOnce(join(root, path), maxBytes);
    if (read !== null) return read;
  }
  throw new NuncioError("failed_precondition", `${JSON.stringify(path)} changed while it was read`, {
    field: "workspace",
    reason: "FILE_CHANGED",
    hint: "have nothing write to the workspace meanwhile, and try again",
  });
}

/** Null when it has changed meanwhile. */
function readOnce(file: string, maxBytes: number): ReadInside | null {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    return notOpened(error as NodeJS.ErrnoException);
  }
  try {
    const before = fstatSync(fd, { bigint: true });
    const bytes = Number(before.size);
    if (!before.isFile()) return { leftOut: "no regular file any more", bytes: 0 };
    if (!standsAt(file, fd, before)) return { leftOut: "it led out of the workspace, or was moved", bytes: 0 };
    if (bytes > maxBytes) return { leftOut: `larger than ${maxBytes / 1024} KiB`, bytes };
    const content = readUpTo(fd, bytes + 1);
    return content.length === bytes && sameState(before, fstatSync(fd, { bigint: true })) ? { content } : null;
  } catch (error) {
    return notOpened(error as NodeJS.ErrnoException);
  } finally {
    closeSync(fd);
  }
}

/**
 * Whether what was opened stands at that path, with no link on the way. Linux says where an open file is. Elsewhere the path
 * is looked up again, twice, since it may be changed between two looks.
 */
function standsAt(file: string, fd: number, opened: BigIntStats): boolean {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`) === file;
  } catch {
    return leadsTo(file, opened) && leadsTo(file, opened);
  }
}

function leadsTo(file: string, { dev, ino }: BigIntStats): boolean {
  try {
    if (realpathSync.native(file) !== file) return false;
    const found = lstatSync(file, { bigint: true });
    return found.dev === dev && found.ino === ino;
  } catch {
    return false;
  }
}

const sameState = (a: BigIntStats, b: BigIntStats): boolean =>
  a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs;

/** The size is not believed: a file may grow while it is read. */
function readUpTo(fd: number, limit: number): Uint8Array {
  const buffer = Buffer.alloc(limit);
  let length = 0;
  while (length < limit) {
    const count = readSync(fd, buffer, length, limit - length, length);
    if (count === 0) break;
    length += count;
  }
  return buffer.subarray(0, length);
}

function notOpened({ code }: NodeJS.ErrnoException): ReadInside {
  if (code === "ELOOP" || code === "EMLINK") return { leftOut: "a symbolic link", bytes: 0 };
  if (code === "ENOENT" || code === "ENOTDIR") return { leftOut: "it went away", bytes: 0 };
  if (code === "EACCES" || code === "EPERM") return { leftOut: "the daemon's user may not read it", bytes: 0 };
  if (code === "ENXIO") return { leftOut: "no regular file any more", bytes: 0 };
  return { leftOut: "it cannot be read", bytes: 0 };
}
