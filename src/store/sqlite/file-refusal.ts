import { NuncioError } from "../../shared/errors.js";

/**
 * Why the system refused to do something with a file, and what to do; any other error as it is. Node mostly says which
 * file it was; otherwise it was `file`.
 */
export function fileRefusal(error: unknown, file: string): unknown {
  const { code = "", path, dest } = error as NodeJS.ErrnoException & { dest?: string };
  const phrase = PHRASES[code];
  if (phrase === undefined) return error;
  const [what, hint] = phrase;
  // Of a copy, the source is read and the other written.
  const place = (/^(ENOSPC|EDQUOT|EROFS)$/.test(code) ? dest : undefined) ?? path ?? file;
  return new NuncioError("failed_precondition", `${place} ${what}`, { hint, cause: error });
}

const PHRASES: Record<string, readonly [what: string, hint: string]> = {
  ENOENT: ["is not there", "name a file in a directory that exists"],
  ENOTDIR: ["is not there", "name a file in a directory that exists"],
  EISDIR: ["is a directory", "name a file"],
  EACCES: ["may not be used by this user", "run this as the user that runs the daemon, or name another place"],
  EPERM: ["may not be used by this user", "run this as the user that runs the daemon, or name another place"],
  EROFS: ["is on a file system that cannot be written", "name another place"],
  ENOSPC: ["has no room left on its disk", "make room, or name a place on another disk"],
  EDQUOT: ["has no room left for this user", "make room, or name a place on another disk"],
  ENAMETOOLONG: ["has too long a name", "name a shorter path"],
};
