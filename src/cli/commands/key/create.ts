import type { CliCommand } from "../../cli.js";
import { askedFor, type HolderOptions, holderOptions } from "../../holder-options.js";
import { tenantNote } from "../../key-text.js";

export const command: CliCommand<HolderOptions> = {
  describe(command) {
    holderOptions(command, "such as 90d or 12h (default: never)").addHelpText(
      "after",
      "\nTwo keys of one name are one caller: make a new one, move over, revoke the old one.",
    );
  },
  async run({ args: [name = ""], options, cli: { out, client } }) {
    const key = await (await client()).createKey(askedFor(name, options));
    out.result(key, () => key.key);
    if (key.tenantMade) out.note(tenantNote(key.tenant));
    out.note(`key ${key.id} of ${key.name}: keep it now, it is not shown again`);
    out.next(`nuncio key revoke ${key.id}`, "to end it");
    return undefined;
  },
};
