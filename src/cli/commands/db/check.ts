import { resolve } from "node:path";
import type { CliCommand } from "../../cli.js";
import { sqliteDataDirOf } from "../../data-dir.js";
import { EXIT } from "../../exit-code.js";
import { countsText, faultText } from "../../ledger-text.js";
import { nextStep } from "../../next-step.js";

export const command: CliCommand = {
  describe(command) {
    command.addHelpText("after", "\nReads all of it and changes nothing; the daemon may go on meanwhile.");
  },
  async run({ args: [name], cli: { out, configFile, env } }) {
    const dataDir = name === undefined ? await sqliteDataDirOf(configFile, env) : "";
    const { inspectLedger } = await import("../../../daemon/ledger-files.js");
    out.status("reading …");
    const inspected = await inspectLedger(dataDir, name === undefined ? undefined : resolve(name));
    const { file, schema, damage, counts, faults } = inspected;
    const sound = damage.length === 0 && (faults ?? []).length === 0;
    out.result({ ...inspected, sound }, () =>
      [
        ...damage.map((text) => out.colors.red(`damaged: ${text}`)),
        ...(faults ?? []).map((fault) => out.colors.red(faultText(fault))),
        `${countsText(counts)} in ${file}: ${sound ? out.colors.green("sound") : out.colors.red("not sound")}`,
      ].join("\n"),
    );
    if (faults === null && damage.length === 0) {
      out.note(`it has schema version ${schema}, an earlier one: only the file itself was checked`);
    }
    if (!sound) out.note(nextStep("nuncio db restore FILE --replace", "puts an earlier backup in its place"));
    return sound ? EXIT.done : EXIT.failed;
  },
};
