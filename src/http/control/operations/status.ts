import { setTimeout as after } from "node:timers/promises";
import { z } from "zod";
import { NuncioError } from "../../../shared/errors.js";
import type { TaskCounts } from "../../../tasks/ledger.js";
import type { ControlDeps } from "../deps.js";
import { operation } from "../operation.js";
import { type Status, status } from "../schema/status.js";

/** Whoever asks how the daemon is gets an answer also when the ledger gives none. */
const COUNTS_MS = 2000;

export const showStatus = operation({
  method: "GET",
  path: "/v1/status",
  request: z.strictObject({}),
  response: status,
  async handle(_request, deps) {
    const { version, dataDir, startedAt, listeners, admission, draining, slots } = deps.info();
    const tasks = await counts(deps);
    return {
      pid: process.pid,
      version,
      uptimeSeconds: Math.max(0, Math.round((deps.clock.now() - startedAt) / 100) / 10),
      dataDir,
      draining,
      listeners,
      admission,
      slots,
      personas: deps.personas.all().length,
      ledger: ledgerJson(await deps.health()),
      tasks,
    };
  },
});

async function counts({ ledger }: ControlDeps): Promise<TaskCounts | null> {
  const counted = ledger.system.counts().catch((error: unknown) => {
    if (NuncioError.is(error, "unavailable")) return null;
    throw error;
  });
  return Promise.race([counted, after(COUNTS_MS, null, { ref: false })]);
}

const ledgerJson = (health: Awaited<ReturnType<ControlDeps["health"]>>): Status["ledger"] =>
  health.available
    ? { available: true, reason: null, seconds: null }
    : { available: false, reason: health.reason, seconds: Math.round(health.forMs / 100) / 10 };
