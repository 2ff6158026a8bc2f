import type { CliCommand } from "../../cli.js";

export const command: CliCommand = {
  async run({ args: [id = ""], cli: { out, client } }) {
    const task = await (await client()).retryDeadLetter(id);
    out.result(task, () => task.id);
    out.next(`nuncio task watch ${task.id}`, "to follow it");
    return undefined;
  },
};
