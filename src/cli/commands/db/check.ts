import { resolve } from "node:path";
import type { CliCommand } from "../../cli.js";
import { ledgerPlaceOf } from "../../data-dir.js";
import { EXIT } from "../../exit-code.js";
import { countsText, faultText } from "../../ledger-text.js";

export const command: CliCommand = {
  describe(command) {
    command.addHelpText("after", "\nReads all of it and changes nothing; daemons may go on meanwhile.");
  },
  async run({ args: [name], cli: { out, configFile, env } }) {
    const place =
      name === undefined ? await ledgerPlaceOf(configFile, env) : ({ type: "sqlite", file: resolve(name) } as const);
    const { inspectLedger, placeText } = await import("../../../daemon/ledger-files.js");
    out.status("reading …");
    const inspected = await inspectLedger(place);
    const file = placeText(place);
    const { schema, damage, counts, faults } = inspected;
    const sound = damage.length === 0 && (faults ?? []).length === 0;
    out.result({ file, ...inspected, sound }, () =>
      [
        ...damage.map((text) => out.colors.red(`damaged: ${text}`)),
        ...(faults ?? []).map((fault) => out.colors.red(faultText(fault))),
        `${countsText(counts)} in ${file}: ${sound ? out.colors.green("sound") : out.colors.red("not sound")}`,
      ].join("\n"),
    );
    if (faults === null && damage.length === 0) {
      out.note(`it has schema version ${schema}, an earlier one: only the file itself was checked`);
    }
    if (!sound) out.next("nuncio db restore FILE --replace", "puts an earlier backup in its place");
    return sound ? EXIT.done : EXIT.failed;
  },
};
