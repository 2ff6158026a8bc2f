import { durationText } from "../../shared/duration.js";
import type { CliCommand } from "../cli.js";
import { nextStep } from "../next-step.js";
import { fieldsText } from "../table.js";

export const command: CliCommand = {
  async run({ cli: { out, client } }) {
    const status = await (await client()).status();
    const { http, grpc, console } = status.listeners;
    const { pending, processing, waiting, dead } = status.tasks;
    out.result(status, () =>
      fieldsText(
        [
          ["nuncio", `${status.version}, pid ${status.pid}, up ${durationText(status.uptimeSeconds * 1000)}`],
          ["state", status.draining ? out.colors.yellow("shutting down") : out.colors.green("serving")],
          ["http", http ?? "off"],
          ["grpc", grpc],
          ["console", console],
          ["personas", String(status.personas)],
          ["slots", `${status.slots.used} of ${status.slots.total} in use`],
          ["tasks", `${pending} pending, ${processing} processing, ${waiting} waiting`],
          ["dead", dead === 0 ? "none" : out.colors.red(`${dead}`)],
          ["data", status.dataDir],
        ],
        out.colors,
      ),
    );
    if (dead > 0) out.note(nextStep("nuncio dlq list", "to see what failed for good"));
    return undefined;
  },
};
