import { resolve } from "node:path";
import type { CliCommand } from "../../cli.js";
import { sqliteDataDirOf } from "../../data-dir.js";
import { countsText, noteFaults } from "../../ledger-text.js";
import { nextStep } from "../../next-step.js";

export const command: CliCommand<{ replace?: boolean }> = {
  describe(command) {
    command
      .option("--replace", "move a ledger that is there aside, and keep it under another name")
      .addHelpText("after", "\nStop the daemon first. What was running when the backup was made is run again.");
  },
  async run({ args: [name = ""], options: { replace = false }, cli: { out, configFile, env } }) {
    const dataDir = await sqliteDataDirOf(configFile, env);
    const { restoreLedger } = await import("../../../daemon/ledger-files.js");
    out.status("copying and checking …");
    const { faults, ...restored } = await restoreLedger(dataDir, resolve(name), replace);
    out.result({ dataDir, ...restored, faults }, () => `${countsText(restored.counts)} in ${dataDir}`);
    if (restored.replaced !== null) out.note(`the ledger that was there is now ${restored.replaced}`);
    noteFaults(faults, out);
    out.note(nextStep("nuncio up", "goes on with what is unfinished"));
    return undefined;
  },
};
