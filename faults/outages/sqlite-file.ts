import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
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

function maySetImmutable(): boolean {
  const directory = mkdtempSync(join(tmpdir(), "nuncio-immutable-"));
  try {
    const file = join(directory, "file");
    writeFileSync(file, "");
    return [spawnSync("chattr", ["+i", file]), spawnSync("chattr", ["-i", file])].every(({ status }) => status === 0);
  } finally {
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
