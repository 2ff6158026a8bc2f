import { collected, spanInSeconds } from "../../arguments.js";
import type { CliCommand } from "../../cli.js";
import { tenantNote } from "../../key-text.js";

interface Options {
  tenant?: string;
  scope?: string[];
  expiresIn?: number;
}

export const command: CliCommand<Options> = {
  describe(command) {
    command
      .option("--tenant <tenant>", "tenant of the caller (default: default)")
      .option("--scope <scope>", "runs:execute (default) or tasks:read; may be given twice", collected)
      .option("--expires-in <span>", "such as 30m or 2d, at most 30d (default: 8h)", spanInSeconds)
      .addHelpText("after", "\nIts holder is the caller whose keys have the same name, and sees the same tasks.");
  },
  async run({ args: [name = ""], options, cli: { out, client } }) {
    const { tenant, scope, expiresIn } = options;
    const asked = { name, tenant, scopes: scope, expiresInSeconds: expiresIn };
    const session = await (await client()).createSession(asked);
    out.result(session, () => session.token);
    if (session.tenantMade) out.note(tenantNote(session.tenant));
    out.note(`session ${session.id} of ${session.name}, until ${session.expiresAt}: keep it, it is not shown again`);
    out.next(`nuncio token revoke ${session.id}`, "to end it sooner");
    return undefined;
  },
};
