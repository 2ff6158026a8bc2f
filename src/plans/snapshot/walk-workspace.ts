import type { Dirent } from "node:fs";
import { opendir } from "node:fs/promises";
import { join } from "node:path";
import { NuncioError } from "../../shared/errors.js";
import { textOfFile } from "../work-message.js";
import type { IgnoreRules } from "./ignore-rules.js";
import { readInside } from "./read-inside.js";
import { type SnapshotBounds, tooLarge } from "./snapshot-bounds.js";

const AT_ONCE_MS = 5;

export interface Walk {
  /** Absolute, with no link in it. */
  root: string;
  rules: IgnoreRules;
  excluded: ReadonlySet<string>;
  bounds: SnapshotBounds;
}

/** What stands at a path: a file with its bytes, or why it is left out. A directory that is left out ends with a slash. */
export type Found = { path: string; bytes: number } & ({ leftOut: null; content: Uint8Array } | { leftOut: string });

/** Everything in a directory, however deep, in no order. Only regular files are ever opened. */
export async function* walkWorkspace(walk: Walk): AsyncGenerator<Found, void> {
  const { root, excluded, bounds } = walk;
  const open: { path: string; depth: number; rules: IgnoreRules }[] = [{ path: "", depth: 0, rules: walk.rules }];
  const breath = new Breath();
  const seen = { entries: 0, files: 0, bytes: 0 };
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { path: directory, depth } = next;
    const entries = await entriesOf(root, directory, bounds.entries - seen.entries);
    if (entries === null) {
      yield leaveOut(`${directory}/`, "the daemon's user may not read it");
      continue;
    }
    seen.entries += entries.length;
    const rules = entries.some(isGitignore) ? withGitignore(root, directory, next.rules, bounds) : next.rules;
    for (const entry of entries) {
      const name = entry.name.toString("utf8");
      const path = directory === "" ? name : `${directory}/${name}`;
      const why = nameRefused(entry.name, name) ?? kindRefused(entry) ?? rules.leavesOut(path, entry.isDirectory());
      if (why !== null) {
        yield leaveOut(entry.isDirectory() ? `${path}/` : path, why);
      } else if (excluded.has(join(root, path))) {
        yield leaveOut(entry.isDirectory() ? `${path}/` : path, "the daemon's own data");
      } else if (entry.isDirectory()) {
        if (depth + 1 > bounds.depth) throw tooLarge(`is deeper than ${bounds.depth} directories`);
        open.push({ path, depth: depth + 1, rules });
      } else {
        await breath.take();
        const read = readInside(root, path, bounds.fileBytes);
        if ("leftOut" in read) {
          yield { path, bytes: read.bytes, leftOut: read.leftOut };
          continue;
        }
        seen.files += 1;
        seen.bytes += read.content.length;
        if (seen.files > bounds.files) throw tooLarge(`has more than ${bounds.files} files`);
        if (seen.bytes > bounds.totalBytes) throw tooLarge(`holds more than ${bounds.totalBytes} bytes`);
        yield { path, bytes: read.content.length, leftOut: null, content: read.content };
      }
    }
  }
}

/** Lets the rest of the daemon go on when it has waited for some milliseconds. */
class Breath {
  #since = performance.now();

  async take(): Promise<void> {
    if (performance.now() - this.#since < AT_ONCE_MS) return;
    await new Promise((resolve) => setImmediate(resolve));
    this.#since = performance.now();
  }
}

const leaveOut = (path: string, why: string): Found => ({ path, bytes: 0, leftOut: why });

/** Names as bytes: one that is not text would otherwise be looked for under another name. Null when it cannot be read. */
async function entriesOf(root: string, directory: string, most: number): Promise<Dirent<Buffer>[] | null> {
  const entries: Dirent<Buffer>[] = [];
  try {
    // biome-ignore lint/suspicious/noExplicitAny: the types know no Dirent of bytes for opendir
    for await (const entry of await opendir(join(root, directory), { encoding: "buffer" as any, bufferSize: 1000 })) {
      entries.push(entry as unknown as Dirent<Buffer>);
      if (entries.length > most) throw tooLarge("has too many entries to look at");
    }
  } catch (error) {
    if (NuncioError.is(error)) throw error;
    return null;
  }
  return entries;
}

function nameRefused(bytes: Buffer, name: string): string | null {
  if (!bytes.equals(Buffer.from(name))) return "its name is not UTF-8";
  if (/[\p{Cc}\u2028\u2029\p{Bidi_Control}]/u.test(name)) return "its name holds control characters";
  return null;
}

function kindRefused(entry: Dirent<Buffer>): string | null {
  if (entry.isFile() || entry.isDirectory()) return null;
  if (entry.isSymbolicLink()) return "a symbolic link";
  if (entry.isFIFO()) return "a pipe";
  if (entry.isSocket()) return "a socket";
  return "a device";
}

const isGitignore = (entry: Dirent<Buffer>): boolean => entry.isFile() && entry.name.equals(Buffer.from(".gitignore"));

function withGitignore(root: string, directory: string, rules: IgnoreRules, bounds: SnapshotBounds) {
  const path = directory === "" ? ".gitignore" : `${directory}/.gitignore`;
  const read = readInside(root, path, bounds.fileBytes);
  const text = "content" in read ? textOfFile(read.content) : null;
  return text === null ? rules : rules.with(directory, text);
}
