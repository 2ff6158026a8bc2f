import type { CliCommand } from "../../cli.js";

export const command: CliCommand = {
  describe(command) {
    command.addHelpText(
      "after",
      "\nIts snapshot and assignments go, and open grants for it are revoked. The tasks that did its work stay.",
    );
  },
  async run({ args: [id = ""], cli: { out, client } }) {
    const result = await (await client()).purgePlannedTask(id);
    out.result(result, () => "purged");
    return undefined;
  },
};
