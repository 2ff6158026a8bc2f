import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openFile, type SqliteFile } from "../ledger/open-file.js";
import type { Nodes } from "../nodes/nodes.js";
import type { Outage } from "./outage.js";

const ledgerFiles = (nodes: Nodes): string[] =>
  nodes.all.flatMap(({ dataDir }) => ["ledger.db", "ledger.db-wal"].map((name) => join(dataDir, name)));

/** Files that nobody may write any more, not even who has them open. Undefined where we may not do that. */
export function readOnlyFiles(): Outage | undefined {
  if (!maySetImmutable()) return undefined;
  return {
    name: "read-only files (chattr +i under the running daemon)",
    config: {},
    spawn: {},
    refuses: true,
    begin: async (nodes) => void spawnSync("chattr", ["+i", ...ledgerFiles(nodes)]),
    end: async (nodes) => void spawnSync("chattr", ["-i", ...ledgerFiles(nodes)]),
    remove: async () => {},
  };
}

/** Not every file system minds: on some, who has a file open goes on writing. */
function maySetImmutable(): boolean {
  const directory = mkdtempSync(join(tmpdir(), "nuncio-immutable-"));
  const file = join(directory, "file");
  const open = openSync(file, "w");
  try {
    if (spawnSync("chattr", ["+i", file]).status !== 0) return false;
    writeSync(open, "x");
    return false;
  } catch {
    return true;
  } finally {
    closeSync(open);
    spawnSync("chattr", ["-i", file]);
    rmSync(directory, { recursive: true });
  }
}

/** Somebody else has opened the ledger and writes, for as long as it lasts. */
export function lockedFile(): Outage {
  const holders: SqliteFile[] = [];
  return {
    name: "ledger locked by another process",
    config: {},
    spawn: {},
    refuses: true,
    async begin(nodes) {
      for (const { dataDir } of nodes.all) {
        const holder = openFile(join(dataDir, "ledger.db"));
        holder.exec("PRAGMA busy_timeout = 10000; BEGIN IMMEDIATE");
        holders.push(holder);
      }
    },
    async end() {
      for (const holder of holders.splice(0)) holder.close();
    },
    remove: async () => {},
  };
}
