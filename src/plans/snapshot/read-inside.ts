import { type BigIntStats, constants } from "node:fs";
import { type FileHandle, lstat, open, realpath } from "node:fs/promises";
import { join } from "node:path";
import { NuncioError } from "../../shared/errors.js";

/** A file that is written to at this moment is read again so often. */
const TRIES = 3;

export type ReadInside = { content: Uint8Array } | { leftOut: string; bytes: number };

/**
 * The bytes of the regular file at a path below `root`. No link is followed at its end, and what was opened must be what
 * stands at that path when no directory on the way is a link: whoever swaps one of them in between gets nothing out from
 * elsewhere. A pipe does not hold us up.
 *
 * @param root absolute, with no link in it
 * @throws NuncioError failed_precondition FILE_CHANGED when it changes each time that it is read
 */
export async function readInside(root: string, path: string, maxBytes: number): Promise<ReadInside> {
  for (let tries = 0; tries < TRIES; tries++) {
    const read = await readOnce(join(root, path), maxBytes);
    if (read !== null) return read;
  }
  throw new NuncioError("failed_precondition", `${JSON.stringify(path)} changed while it was read`, {
    field: "workspace",
    reason: "FILE_CHANGED",
    hint: "have nothing write to the workspace meanwhile, and try again",
  });
}

/** Null when it has changed meanwhile. */
async function readOnce(file: string, maxBytes: number): Promise<ReadInside | null> {
  let handle: FileHandle;
  try {
    handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    return notOpened(error as NodeJS.ErrnoException);
  }
  try {
    const before = await handle.stat({ bigint: true });
    const bytes = Number(before.size);
    if (!before.isFile()) return { leftOut: "no regular file any more", bytes: 0 };
    if (!(await standsAt(file, before))) return { leftOut: "it led out of the workspace, or was moved", bytes: 0 };
    if (bytes > maxBytes) return { leftOut: `larger than ${maxBytes / 1024} KiB`, bytes };
    const content = await readUpTo(handle, bytes + 1);
    const after = await handle.stat({ bigint: true });
    return content.length === bytes && sameState(before, after) ? { content } : null;
  } finally {
    await handle.close();
  }
}

/** Whether the path has no link in it and leads to this very file. */
async function standsAt(file: string, opened: BigIntStats): Promise<boolean> {
  try {
    if ((await realpath(file)) !== file) return false;
    const found = await lstat(file, { bigint: true });
    return found.dev === opened.dev && found.ino === opened.ino;
  } catch {
    return false;
  }
}

const sameState = (a: BigIntStats, b: BigIntStats): boolean =>
  a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs;

/** The size is not believed: a file may grow while it is read. */
async function readUpTo(handle: FileHandle, limit: number): Promise<Uint8Array> {
  const buffer = Buffer.alloc(limit);
  let length = 0;
  while (length < limit) {
    const { bytesRead } = await handle.read(buffer, length, limit - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
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
