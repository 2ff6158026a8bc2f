import type { Status } from "../../http/control/schema/status.js";
import { durationText } from "../../shared/duration.js";
import type { CliCommand } from "../cli.js";
import type { Colors } from "../output.js";
import { fieldsText } from "../table.js";

export const command: CliCommand = {
  async run({ cli: { out, client } }) {
    const status = await (await client()).status();
    const { http, grpc, console, admission } = status.listeners;
    const { ledger, tasks } = status;
    out.result(status, () =>
      fieldsText(
        [
          ["nuncio", `${status.version}, pid ${status.pid}, up ${durationText(status.uptimeSeconds * 1000)}`],
          ["state", status.draining ? out.colors.yellow("shutting down") : out.colors.green("serving")],
          ["http", http ?? "off"],
          ["grpc", grpc],
          ["console", console],
          ["peers", admission && `${admission}, ${admissionText(status.admission)}`],
          ["personas", String(status.personas)],
          ["slots", `${status.slots.used} of ${status.slots.total} in use`],
          ["ledger", ledgerText(ledger, out.colors)],
          ["tasks", tasks && `${tasks.pending} pending, ${tasks.processing} processing, ${tasks.waiting} waiting`],
          ["dead", tasks && (tasks.dead === 0 ? "none" : out.colors.red(`${tasks.dead}`))],
          ["data", status.dataDir],
        ],
        out.colors,
      ),
    );
    if (tasks !== null && tasks.dead > 0) out.next("nuncio dlq list", "to see what failed for good");
    return undefined;
  },
};

function admissionText(admission: Status["admission"]): string {
  if (admission === null) return "";
  const { grants, open, requests, admitted, refused } = admission;
  const reasons = Object.entries(refused).map(([reason, times]) => `${times} ${reason}`);
  const turnedAway = reasons.length === 0 ? "none refused" : `refused: ${reasons.join(", ")}`;
  return `${grants} ${grants === 1 ? "grant" : "grants"} in force, ${open} calls open; ${requests} requests, ${admitted} admitted, ${turnedAway}`;
}

function ledgerText({ available, reason, seconds }: Status["ledger"], colors: Colors): string {
  if (available) return colors.green("available");
  const text = `${reason}; submissions are refused for ${durationText((seconds ?? 0) * 1000)}, running work is kept`;
  return colors.red(text);
}
