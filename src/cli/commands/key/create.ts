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
      .option("--expires-in <span>", "such as 90d or 12h (default: never)", spanInSeconds)
      .addHelpText("after", "\nTwo keys of one name are one caller: make a new one, move over, revoke the old one.");
  },
  async run({ args: [name = ""], options, cli: { out, client } }) {
    const { tenant, scope, expiresIn } = options;
    const key = await (await client()).createKey({ name, tenant, scopes: scope, expiresInSeconds: expiresIn });
    out.result(key, () => key.key);
    if (key.tenantMade) out.note(tenantNote(key.tenant));
    out.note(`key ${key.id} of ${key.name}: keep it now, it is not shown again`);
    out.next(`nuncio key revoke ${key.id}`, "to end it");
    return undefined;
  },
};
