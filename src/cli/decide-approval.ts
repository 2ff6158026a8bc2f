import { approvalText } from "./approval-text.js";
import type { CliCommand } from "./cli.js";

/** The two decisions differ in what they do, and in what becomes of the task. */
export const decideApproval = (verb: "approve" | "deny", after: string): CliCommand<Decision> => ({
  describe(command) {
    command
      .option("--reason <text>", "what whoever asked is told")
      .option("--digest <hex>", "what you have looked at: anything else is not decided")
      .addHelpText("after", `\n${after}`);
  },
  async run({ args: [id = ""], options: { reason, digest }, cli: { out, client } }) {
    const approval = await (await client())[verb](id, { reason, digest });
    out.result(approval, () => approvalText(approval, out.colors));
    out.next(`nuncio task show ${approval.taskId}`, "to see how it goes on");
    return undefined;
  },
});

export interface Decision {
  reason?: string;
  digest?: string;
}
