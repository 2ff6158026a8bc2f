import type { CliCommand } from "../../cli.js";
import { keysText } from "../../key-text.js";

export const command: CliCommand = {
  async run({ cli: { out, client } }) {
    const { keys: tokens } = await (await client()).keys("session");
    out.result({ tokens }, () => keysText(tokens, out.colors));
    if (tokens.length === 0) out.next("nuncio token session NAME", "to make one");
    return undefined;
  },
};
