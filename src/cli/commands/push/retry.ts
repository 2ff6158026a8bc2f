import type { CliCommand } from "../../cli.js";
import { pushTable } from "../../push-text.js";

export const command: CliCommand = {
  describe(command) {
    command.addHelpText("after", "\nWithout an id: all of the task. What it is owed is told from where it stood.");
  },
  async run({ args: [task = "", id], cli: { out, client } }) {
    const result = await (await client()).retryPush(task, id);
    out.result(result, () => pushTable(result.pushes, out.colors));
    out.next("nuncio push list", "to see what became of it");
    return undefined;
  },
};
