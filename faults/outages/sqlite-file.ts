import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type Database from "better-sqlite3";
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
  const open: typeof Database = createRequire(import.meta.url)("better-sqlite3");
  const holders: Database.Database[] = [];
  return {
    name: "ledger locked by another process",
    config: {},
    spawn: {},
    refuses: true,
    async begin(nodes) {
      for (const { dataDir } of nodes.all) {
        const holder = new open(join(dataDir, "ledger.db"), { timeout: 10_000 });
        holder.exec("BEGIN IMMEDIATE");
        holders.push(holder);
      }
    },
    async end() {
      for (const holder of holders.splice(0)) holder.close();
    },
    remove: async () => {},
  };
}
