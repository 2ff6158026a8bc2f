import { once } from "node:events";
import { watch } from "node:fs";
import { setTimeout as after } from "node:timers/promises";
import type { Node } from "./nodes.js";

/** The moments at which a daemon is killed, and how many kills each takes. */
export const MOMENTS = ["any time", "commit", "start-up", "shutdown"] as const;
export type Moment = (typeof MOMENTS)[number];

export type KillCounts = Record<Moment, number>;
export const noKills = (): KillCounts => ({ "any time": 0, commit: 0, "start-up": 0, shutdown: 0 });

export const totalOf = (kills: KillCounts): number => Object.values(kills).reduce((sum, count) => sum + count, 0);

/** Kills the node at such a moment, and starts it again; resolves when it serves. */
export async function killOnce(node: Node, moment: Moment, random: () => number, kills: KillCounts): Promise<void> {
  switch (moment) {
    case "any time":
      await after(random() * 300);
      break;
    case "commit":
      await written(node);
      break;
    case "shutdown":
      node.signal("SIGTERM");
      await after(random() * 150);
      break;
    case "start-up":
      await node.kill();
      kills["any time"] += 1;
      node.begin();
      // The process itself needs the first part of it to load its modules.
      await after(100 + random() * 900);
      break;
  }
  const { signal } = await node.kill();
  // It may have ended by itself, when it was asked to.
  if (signal === "SIGKILL") kills[moment] += 1;
  await node.start();
}

/** Resolves in the middle of a commit: the write-ahead log has been written, and is about to be synced. */
async function written(node: Node): Promise<void> {
  const watcher = watch(`${node.dataDir}/ledger.db-wal`);
  try {
    await once(watcher, "change", { signal: AbortSignal.timeout(2000) });
  } catch {
    // Nothing is written at the moment: then it is any other one.
  } finally {
    watcher.close();
  }
}
