import type { CliCommand } from "../../cli.js";
import { askedFor, type HolderOptions, holderOptions } from "../../holder-options.js";
import { tenantNote } from "../../key-text.js";

export const command: CliCommand<HolderOptions> = {
  describe(command) {
    holderOptions(command, "such as 30m or 2d, at most 30d (default: 8h)").addHelpText(
      "after",
      "\nIts holder is the caller whose keys have the same name, and sees the same tasks.",
    );
  },
  async run({ args: [name = ""], options, cli: { out, client } }) {
    const session = await (await client()).createSession(askedFor(name, options));
    out.result(session, () => session.token);
    if (session.tenantMade) out.note(tenantNote(session.tenant));
    out.note(`session ${session.id} of ${session.name}, until ${session.expiresAt}: keep it, it is not shown again`);
    out.next(`nuncio token revoke ${session.id}`, "to end it sooner");
    return undefined;
  },
};
