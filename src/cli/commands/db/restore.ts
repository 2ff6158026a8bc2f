import { dirname, resolve } from "node:path";
import type { CliCommand } from "../../cli.js";
import { ledgerPlaceOf } from "../../data-dir.js";
import { countsText, noteFaults } from "../../ledger-text.js";
import { progressBar } from "../../progress-bar.js";

export const command: CliCommand<{ replace?: boolean }> = {
  describe(command) {
    command
      .option("--replace", "move a ledger that is there aside, and keep it under another name")
      .addHelpText("after", "\nStop every daemon first. What was running when the backup was made is run again.");
  },
  async run({ args: [name = ""], options: { replace = false }, cli: { out, configFile, env } }) {
    const place = await ledgerPlaceOf(configFile, env);
    const { restoreLedger, placeText } = await import("../../../daemon/ledger-files.js");
    out.status("copying and checking …");
    const { faults, ...restored } = await restoreLedger(place, resolve(name), replace, { progress: progressBar(out) });
    const where = place.type === "sqlite" ? { dataDir: dirname(place.file) } : { ledger: placeText(place) };
    out.result({ ...where, ...restored, faults }, () => `${countsText(restored.counts)} in ${Object.values(where)[0]}`);
    const kind = place.type === "sqlite" ? "" : "the schema ";
    if (restored.replaced !== null) out.note(`the ledger that was there is now ${kind}${restored.replaced}`);
    noteFaults(faults, out);
    out.next("nuncio up", "goes on with what is unfinished");
    return undefined;
  },
};
