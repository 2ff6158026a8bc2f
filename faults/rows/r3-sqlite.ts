import { join } from "node:path";
import { readSqlite } from "../ledger/read-ledger.js";
import type { Nodes } from "../nodes/nodes.js";
import { fullDisk } from "../outages/full-disk.js";
import type { Outage } from "../outages/outage.js";
import { lockedFile, readOnlyFiles } from "../outages/sqlite-file.js";
import type { Row } from "../report.js";
import type { Sizes } from "./sizes.js";
import { surviveOutage } from "./survive-outage.js";

/** R3 on SQLite: the disk is full, the files are read-only, somebody else holds the ledger. */
export const r3FullDisk = (sizes: Sizes): Promise<Row> => outageOnSqlite(fullDisk(), sizes);

export async function r3ReadOnly(sizes: Sizes): Promise<Row> {
  const outage = readOnlyFiles();
  if (outage !== undefined) return outageOnSqlite(outage, sizes);
  // Not a word in the table would look as if it had been tried.
  const injected = [{ name: "outages (it takes root, and a file system that minds)", count: 0, promised: 0 }];
  return { id: "R3", what: "read-only files: not tried", done: [], injected, findings: [], seconds: 0 };
}

export const r3Locked = (sizes: Sizes): Promise<Row> => outageOnSqlite(lockedFile(), sizes);

export const outageOnSqlite = (outage: Outage, sizes: Sizes): Promise<Row> =>
  surviveOutage(
    {
      id: "R3",
      outage,
      nodes: 1,
      rounds: sizes.outages,
      holdMs: 3000,
      delegations: sizes.delegations / 10,
      openLedger,
    },
    sizes,
  );

async function openLedger(nodes: Nodes) {
  const [node] = nodes.all as [Nodes["all"][number]];
  await node.kill("SIGTERM");
  return readSqlite(join(node.dataDir, "ledger.db"));
}
