import type { CliCommand } from "../../cli.js";
import { treeText } from "../../tree-text.js";

export const command: CliCommand = {
  async run({ args: [id = ""], cli: { out, client } }) {
    const tree = await (await client()).tree(id);
    out.result(tree, () => treeText(tree, id, out.colors));
    return undefined;
  },
};
