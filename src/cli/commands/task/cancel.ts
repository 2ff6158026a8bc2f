import type { CliCommand } from "../../cli.js";
import { taskText } from "../../task-text.js";

export const command: CliCommand<{ reason?: string }> = {
  describe(command) {
    command.option("--reason <text>", "what whoever waits for it is told");
  },
  async run({ args: [id = ""], options, cli: { out, client } }) {
    const task = await (await client()).cancel(id, options.reason);
    out.result(task, () => taskText(task, out.colors));
    const delegated = task.canceledIds.length - 1;
    if (delegated > 0) out.note(`canceled, with ${delegated} delegated task${delegated === 1 ? "" : "s"}`);
    return undefined;
  },
};
