import { resolve } from "node:path";
import type { LedgerPlace } from "../../../store/copy/ledger-place.js";
import type { VerifiedTable } from "../../../store/copy/verify.js";
import type { CliCommand } from "../../cli.js";
import { ledgerPlaceOf } from "../../data-dir.js";
import { EXIT } from "../../exit-code.js";
import { nextStep } from "../../next-step.js";
import type { Colors } from "../../output.js";
import { placeArgument } from "../../place-argument.js";
import { progressBar } from "../../progress-bar.js";
import { tableText } from "../../table.js";

interface Options {
  from?: string;
  fromConfig?: string;
  to?: string;
  toConfig?: string;
  useMovedLedger?: boolean;
}

const HELP = `
A ledger is sqlite:PATH (a data directory or a file) or postgres://HOST:PORT/DATABASE?schema=NAME.
A password on the command line is seen by every user of the machine: name a configuration instead,
or a variable, as '\${DATABASE_URL}'.

Stop every daemon of both first. Afterwards none starts on the old ledger. When this is interrupted,
run it again.`;

export const command: CliCommand<Options> = {
  describe(command) {
    command
      .option("--from <ledger>", "the ledger that is moved")
      .option("--from-config <file>", "the configuration that names it")
      .option("--to <ledger>", "where it is moved, with nothing in it yet")
      .option("--to-config <file>", "the configuration that names that place")
      .option("--use-moved-ledger", "move it although it was moved elsewhere before")
      .addHelpText("after", HELP);
  },
  async run({ options, cli: { out, env, interruption } }) {
    const place = (name: "from" | "to"): Promise<LedgerPlace | string> | string => {
      const config = options[`${name}Config`];
      const text = placeArgument(name, options[name], config, env);
      return text ?? ledgerPlaceOf(resolve(config as string), env);
    };
    const [from, to] = [await place("from"), await place("to")];
    const { copyLedger } = await import("../../../daemon/ledger-files.js");
    const signal = interruption();
    const watch = { signal, progress: progressBar(out) };
    out.status("looking at both …");
    const moved = await copyLedger({ from, to, useMoved: options.useMovedLedger === true, watch }).catch((error) => {
      if (!signal.aborted) throw error;
      return null;
    });
    if (moved === null) {
      out.note("interrupted: the ledger is where it was, and can be served as before");
      out.note(nextStep("nuncio db copy …", "with the same two, clears what was written and begins again"));
      return EXIT.interrupted;
    }
    out.result({ ...moved, verified: true }, () => resultText(moved.tables, out.colors));
    if (moved.tables.length === 0)
      out.note("an earlier run had copied and verified all of it: that move is now finished");
    out.note(`moved from ${moved.from} to ${moved.to}, where every row is the same; no daemon starts on the old one`);
    out.note(nextStep("nuncio up", "with storage set to the new ledger"));
    return undefined;
  },
};

const resultText = (tables: readonly VerifiedTable[], colors: Colors): string =>
  tables.length === 0
    ? ""
    : tableText(
        ["TABLE", "ROWS", "SHA-256, THE SAME ON BOTH SIDES"],
        tables.map(({ table, rows, sha256 }) => [table, String(rows), sha256]),
        colors,
      );
