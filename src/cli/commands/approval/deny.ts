import { approvalText } from "../../approval-text.js";
import type { CliCommand } from "../../cli.js";

export const command: CliCommand<{ reason?: string; digest?: string }> = {
  describe(command) {
    command
      .option("--reason <text>", "what whoever asked is told")
      .option("--digest <hex>", "what you have looked at: anything else is not decided")
      .addHelpText("after", "\nThe task goes on at once, and is told that it was refused.");
  },
  async run({ args: [id = ""], options: { reason, digest }, cli: { out, client } }) {
    const approval = await (await client()).deny(id, { reason, digest });
    out.result(approval, () => approvalText(approval, out.colors));
    out.next(`nuncio task show ${approval.taskId}`, "to see how it goes on");
    return undefined;
  },
};
