import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { readSqlite } from "../ledger/read-ledger.js";
import { KINDS } from "../load/kinds.js";
import type { Nodes } from "../nodes/nodes.js";
import type { Row } from "../report.js";
import type { Sizes } from "./sizes.js";
import { type Harm, underHarm } from "./under-harm.js";

const STEPPING_CLOCK = new URL("../../test/support/programs/stepping-clock.mjs", import.meta.url);
const HOUR_MS = 3_600_000;
/** A little less than the longest wait that may be asked for: who waits for longer than that has waited long enough. */
const DAY_MS = 23 * HOUR_MS;
/** One gives up by itself, after a time that such a step makes pass. */
const KINDS_WITHOUT_LIMITS = Object.keys(KINDS).filter((name) => name !== "timeout");

/** X14 The clock is set forward and back, while the daemon runs and between two starts: nothing stands still for it. */
export function clockSteps(sizes: Sizes): Promise<Row> {
  const directory = mkdtempSync(join(tmpdir(), "nuncio-clock-"));
  const clockFile = join(directory, "offset");
  const set = (offset: number) => writeFileSync(clockFile, String(offset));
  set(0);
  const counts = { forward: 0, back: 0, betweenStarts: 0 };
  const promised = Math.ceil(sizes.rounds / 4);

  async function harm({ nodes, load, random }: Harm): Promise<void> {
    const [node] = nodes.all as [Nodes["all"][number]];
    const step = async (offset: number) => {
      set(offset);
      const heard = once(node.process.process, "message");
      node.process.process.send("look");
      await heard;
    };
    let base = 0;
    for (let round = 0; round < promised && !load.over; round++) {
      const at = (part: number) => load.progress((round + part) / (promised + 0.5));
      await at(0.2);
      await step(base + DAY_MS);
      counts.forward += 1;
      await at(0.4);
      await step(base);
      counts.back += 1;
      await at(0.6);
      await after(random() * 200);
      await node.kill();
      // What was stored before is in the future now: by an hour, and by a day where the clock was ahead.
      base -= HOUR_MS;
      set(base);
      counts.betweenStarts += 1;
      await node.start();
    }
  }

  return underHarm(
    {
      id: "X14",
      what: "SQLite, the clock set by 23 hours while it runs, and back by an hour to a day between two starts",
      configs: [{}],
      spawn: { ipc: true, env: { NODE_OPTIONS: `--import=${STEPPING_CLOCK.href}`, CLOCK_FILE: clockFile } },
      kinds: KINDS_WITHOUT_LIMITS,
      harm,
      injected: () => [
        { name: "steps forward", count: counts.forward, promised },
        { name: "steps back", count: counts.back, promised },
        { name: "starts with an earlier clock", count: counts.betweenStarts, promised },
      ],
      async openLedger(nodes) {
        const [node] = nodes.all as [Nodes["all"][number]];
        await node.kill("SIGTERM");
        return readSqlite(join(node.dataDir, "ledger.db"));
      },
    },
    { ...sizes, delegations: sizes.delegations / 5 },
  ).finally(() => rmSync(directory, { recursive: true }));
}
