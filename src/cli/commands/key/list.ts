import type { CliCommand } from "../../cli.js";
import { keysText } from "../../key-text.js";

export const command: CliCommand = {
  async run({ cli: { out, client } }) {
    const { keys } = await (await client()).keys();
    out.result({ keys }, () => keysText(keys, out.colors));
    if (keys.length === 0) out.next("nuncio key create NAME", "to make the first one");
    return undefined;
  },
};
