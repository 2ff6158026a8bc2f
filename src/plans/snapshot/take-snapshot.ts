import { realpath, stat } from "node:fs/promises";
import { isAbsolute, sep } from "node:path";
import { digestOf } from "../../shared/digest.js";
import { invalidArgument, type NuncioError } from "../../shared/errors.js";
import type { SnapshotFile } from "../plan.js";
import { IgnoreRules } from "./ignore-rules.js";
import { SNAPSHOT_BOUNDS, type SnapshotBounds } from "./snapshot-bounds.js";
import { walkWorkspace } from "./walk-workspace.js";

export interface SnapshotRequest {
  /** Absolute. */
  workspace: string;
  /** Patterns as in a `.gitignore` at the top of the workspace, over those that stand there. */
  ignore: readonly string[];
  /** Absolute paths that are never admitted, nor is what is in them: the data, credentials and keys of the daemon itself. */
  excluded: readonly string[];
  bounds?: SnapshotBounds;
}

export interface Snapshot {
  /** The directory with no link in its path. */
  workspace: string;
  /** Of all paths and digests. */
  digest: string;
  /** In the order of the bytes of their paths. */
  files: SnapshotFile[];
  /** By digest. */
  contents: Map<string, Uint8Array>;
}

/**
 * The files of a directory as they are now: each is opened without following a link, what was opened is compared with what
 * stands at its path inside the directory, and one that changes while it is read is noticed. What cannot be admitted is
 * left out and says why; more than the bounds allow is refused as a whole.
 *
 * @throws NuncioError invalid_argument WORKSPACE_UNUSABLE; failed_precondition FILE_CHANGED, IGNORE_TOO_COMPLEX;
 *   limit_reached SNAPSHOT_TOO_LARGE
 */
export async function takeSnapshot(request: SnapshotRequest): Promise<Snapshot> {
  const workspace = await rootOf(request.workspace);
  const excluded = new Set(await Promise.all(request.excluded.map((path) => realpath(path).catch(() => path))));
  const within = [...excluded].some((path) => workspace === path || workspace.startsWith(`${path}${sep}`));
  if (within) throw unusable(request.workspace, "holds the daemon's own data");
  const rules = IgnoreRules.of(request.ignore);
  const files: SnapshotFile[] = [];
  const contents = new Map<string, Uint8Array>();
  const walk = walkWorkspace({ root: workspace, rules, excluded, bounds: request.bounds ?? SNAPSHOT_BOUNDS });
  for await (const { path, bytes, ...found } of walk) {
    if (found.leftOut !== null) {
      files.push({ path, digest: null, bytes, leftOut: found.leftOut });
      continue;
    }
    const digest = digestOf(found.content);
    contents.set(digest, found.content);
    files.push({ path, digest, bytes, leftOut: null });
  }
  const ordered = inOrder(files);
  return { workspace, digest: snapshotDigest(ordered), files: ordered, contents };
}

/** Of what was admitted: the same files give the same digest, in whatever order the system names them. */
function snapshotDigest(files: readonly SnapshotFile[]): string {
  const lines = files.filter(({ digest }) => digest !== null).map(({ path, digest }) => JSON.stringify([path, digest]));
  return digestOf(lines.join("\n"));
}

/** Two names that are not text may look alike; the first stands for both. */
function inOrder(files: readonly SnapshotFile[]): SnapshotFile[] {
  const byPath = new Map<string, SnapshotFile>();
  for (const file of files) if (!byPath.has(file.path)) byPath.set(file.path, file);
  return [...byPath.values()].sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
}

async function rootOf(path: string): Promise<string> {
  if (!isAbsolute(path)) throw unusable(path, "is not an absolute path");
  try {
    const root = await realpath(path);
    if ((await stat(root)).isDirectory()) return root;
  } catch (error) {
    throw unusable(path, phrases[(error as NodeJS.ErrnoException).code ?? ""] ?? "cannot be read", error);
  }
  throw unusable(path, "is no directory");
}

const phrases: Record<string, string> = {
  ENOENT: "does not exist",
  ENOTDIR: "does not exist",
  EACCES: "may not be read by the daemon's user",
  EPERM: "may not be read by the daemon's user",
};

const unusable = (path: string, why: string, cause?: unknown): NuncioError =>
  invalidArgument("workspace", `the workspace ${JSON.stringify(path)} ${why}`, {
    reason: "WORKSPACE_UNUSABLE",
    hint: "name a directory that the daemon can read, with --workspace",
    ...(cause !== undefined && { cause }),
  });
