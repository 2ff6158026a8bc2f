import type { CliCommand } from "../../cli.js";

export const command: CliCommand = {
  async run({ args: [id], cli: { out, client } }) {
    const result = await (await client()).purgeDeadLetters(id);
    out.result(result, () => `${result.purged} off the list`);
    out.note("the failed tasks themselves stay, as `nuncio task show ID` shows");
    return undefined;
  },
};
