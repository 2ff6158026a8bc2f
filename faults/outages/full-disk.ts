import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Nodes } from "../nodes/nodes.js";
import type { Outage } from "./outage.js";

const SMALL_DISK = new URL("../../test/support/programs/small-disk.mjs", import.meta.url);

/** A disk of our own where we may mount one; else databases that may not grow. */
export const fullDisk = (): Outage => mountedDisk() ?? limitedPages();

function mountedDisk(): Outage | undefined {
  const directory = mkdtempSync(join(tmpdir(), "nuncio-disk-"));
  const unmount = () => {
    if (spawnSync("umount", ["-l", directory]).status === 0) rmdirSync(directory);
  };
  if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=64m,mode=0700", "tmpfs", directory]).status !== 0) {
    rmdirSync(directory);
    return undefined;
  }
  process.once("exit", unmount);
  const ballast = join(directory, "ballast");
  return {
    name: "full disk (a tmpfs of 64 MB)",
    config: { dataDir: join(directory, "data") },
    spawn: {},
    refuses: true,
    begin: async () => fill(ballast),
    end: async () => rmSync(ballast),
    async remove() {
      process.off("exit", unmount);
      unmount();
    },
  };
}

/** Writes until nothing more fits, at last single bytes. */
function fill(file: string): void {
  const ballast = openSync(file, "w");
  for (let size = 1 << 20; size >= 1; size = size === 1 ? 0 : size >> 10 || 1) {
    try {
      for (;;) writeSync(ballast, Buffer.alloc(size));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    }
  }
  closeSync(ballast);
}

export function limitedPages(): Outage {
  const tell = async (nodes: Nodes, message: "full" | "free") => {
    for (const { process } of nodes.all) {
      const heard = once(process.process, "message");
      process.process.send(message);
      await heard;
    }
  };
  return {
    name: "full disk (max_page_count)",
    config: {},
    spawn: { ipc: true, env: { NODE_OPTIONS: `--import=${SMALL_DISK.href}` } },
    refuses: true,
    begin: (nodes) => tell(nodes, "full"),
    end: (nodes) => tell(nodes, "free"),
    remove: async () => {},
  };
}
