import { resolve } from "node:path";
import type { CliCommand } from "../../cli.js";
import { keyFileOf } from "../../peer-options.js";
import { fieldsText } from "../../table.js";

interface Options {
  file: string;
  from?: string;
  handover?: string;
  seal?: boolean;
}

const HELP = `
The file is made for its owner alone (mode 0600), in a directory for its owner alone, and never
overwritten. The token is never printed: configure it at the peer from the file, or from the copy
that --handover writes. Each peer, and each grant, needs a credential of its own. The key of a model
provider has no place here.

Examples: nuncio a2a credential reviewer --file ~/.config/nuncio/peers/reviewer.json
          nuncio a2a credential reviewer --file peers/reviewer.json --handover for-them.json
          nuncio a2a credential reviewer --file peers/reviewer.json --from from-them.json --seal`;

export const command: CliCommand<Options> = {
  describe(command) {
    command
      .requiredOption("--file <file>", "the file to make")
      .option("--from <file>", "take the token that was handed over in this file, in place of a new one")
      .option("--handover <file>", "write a copy to hand over to the peer, too")
      .option("--seal", "seal the token with the keys of the daemon, so that the file alone is of no use")
      .addHelpText("after", HELP);
  },
  async run({ args: [peer = ""], options: { file, from, handover, seal = false }, cli }) {
    const { newCredential } = await import("../../../daemon/peer-files.js");
    const absolute = (path: string | undefined) => (path === undefined ? undefined : resolve(path));
    const wanted = { peer, file: resolve(file), from: absolute(from), handover: absolute(handover), seal };
    const made = await newCredential(wanted, keyFileOf(cli));
    const { out } = cli;
    out.result(made, () =>
      fieldsText(
        [
          ["file", made.file],
          ["digest", made.digest],
          ["handover", made.handover],
        ],
        out.colors,
      ),
    );
    if (handover !== undefined) out.note("remove the copy for the peer once it has arrived there");
    return undefined;
  },
};
