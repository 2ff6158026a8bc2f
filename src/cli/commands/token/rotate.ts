import type { CliCommand } from "../../cli.js";

interface Options {
  tenant?: string;
  atOnce?: boolean;
}

export const command: CliCommand<Options> = {
  describe(command) {
    command
      .option("--tenant <tenant>", "tenant of the persona (default: default)")
      .option("--at-once", "for a key that somebody else may have: nothing counts any more that it has signed")
      .addHelpText("after", "\nWithout --at-once the old key is published until every token that it signed has ended.");
  },
  async run({ args: [persona = ""], options: { tenant, atOnce }, cli: { out, client } }) {
    const rotated = await (await client()).rotateAgentKey({ persona, tenant, atOnce });
    out.result(rotated, () => `${rotated.agent} signs with ${rotated.kid}`);
    for (const { kid, acceptedUntil } of rotated.retired) {
      out.note(atOnce === true ? `${kid} counts no more` : `what ${kid} has signed counts until ${acceptedUntil}`);
    }
    return undefined;
  },
};
