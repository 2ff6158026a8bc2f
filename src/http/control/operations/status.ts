import { z } from "zod";
import { operation } from "../operation.js";
import { status } from "../schema/status.js";

export const showStatus = operation({
  method: "GET",
  path: "/v1/status",
  request: z.strictObject({}),
  response: status,
  async handle(_request, { ledger, personas, info, clock }) {
    const { version, dataDir, startedAt, listeners, draining, slots } = info();
    return {
      pid: process.pid,
      version,
      uptimeSeconds: Math.max(0, Math.round((clock.now() - startedAt) / 100) / 10),
      dataDir,
      draining,
      listeners,
      slots,
      personas: personas.all().length,
      tasks: await ledger.system.counts(),
    };
  },
});
