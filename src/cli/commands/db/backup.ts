import { resolve } from "node:path";
import type { CliCommand } from "../../cli.js";
import { ledgerPlaceOf } from "../../data-dir.js";
import { countsText, noteFaults } from "../../ledger-text.js";
import { progressBar } from "../../progress-bar.js";

export const command: CliCommand<{ force?: boolean }> = {
  describe(command) {
    command
      .option("--force", "replace a file that is there already")
      .addHelpText("after", "\nDaemons may go on meanwhile: the copy is the ledger as it stood at one moment.");
  },
  async run({ args: [name = ""], options: { force = false }, cli: { out, configFile, env } }) {
    const file = resolve(name);
    const place = await ledgerPlaceOf(configFile, env);
    const { backUpLedger } = await import("../../../daemon/ledger-files.js");
    out.status("writing and checking the copy …");
    const { faults, ...written } = await backUpLedger(place, file, force, { progress: progressBar(out) });
    out.result({ file, ...written, faults }, () => `${countsText(written.counts)} in ${file}`);
    noteFaults(faults, out);
    out.next(`nuncio db restore ${name}`, "puts it in place, when the daemon has been stopped");
    return undefined;
  },
};
