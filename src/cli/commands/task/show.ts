import type { CliCommand } from "../../cli.js";
import { taskText } from "../../task-text.js";

export const command: CliCommand = {
  async run({ args: [id = ""], cli: { out, client } }) {
    const task = await (await client()).task(id);
    out.result(task, () => taskText(task, out.colors));
    return undefined;
  },
};
