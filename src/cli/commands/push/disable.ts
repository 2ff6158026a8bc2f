import type { CliCommand } from "../../cli.js";
import { pushTable } from "../../push-text.js";

export const command: CliCommand<{ reason?: string }> = {
  describe(command) {
    command
      .option("--reason <text>", "what is shown as the reason")
      .addHelpText("after", "\nWithout an id: all of the task. What it is owed is kept.");
  },
  async run({ args: [task = "", id], options: { reason }, cli: { out, client } }) {
    const result = await (await client()).disablePush(task, id, reason);
    out.result(result, () => pushTable(result.pushes, out.colors));
    out.next(`nuncio push retry ${task}`, "to enable it again");
    return undefined;
  },
};
