import { NuncioError } from "../../shared/errors.js";

export interface SnapshotBounds {
  /** A larger file is left out. */
  fileBytes: number;
  /** With more files, or more in all, the workspace is refused. */
  files: number;
  totalBytes: number;
  /** Directory entries that are looked at, those that are left out included. */
  entries: number;
  depth: number;
}

export const SNAPSHOT_BOUNDS: SnapshotBounds = {
  fileBytes: 1024 * 1024,
  files: 10_000,
  totalBytes: 64 * 1024 * 1024,
  entries: 100_000,
  depth: 64,
};

export const tooLarge = (what: string): NuncioError =>
  new NuncioError("limit_reached", `the workspace ${what}`, {
    field: "workspace",
    reason: "SNAPSHOT_TOO_LARGE",
    hint: "name a smaller directory, or leave more of it out with `ignore` in the plan",
    retryable: false,
  });
