import type { CliCommand } from "../../cli.js";
import { nextStep } from "../../next-step.js";

export const command: CliCommand = {
  async run({ args: [id = ""], cli: { out, client } }) {
    const task = await (await client()).retryDeadLetter(id);
    out.result(task, () => task.id);
    out.note(nextStep(`nuncio task watch ${task.id}`, "to follow it"));
    return undefined;
  },
};
