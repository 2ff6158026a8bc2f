import { approvalText } from "../../approval-text.js";
import type { CliCommand } from "../../cli.js";

export const command: CliCommand = {
  async run({ args: [id = ""], cli: { out, client } }) {
    const approval = await (await client()).approval(id);
    out.result(approval, () => approvalText(approval, out.colors));
    if (approval.decision === null) {
      out.next(`nuncio approval approve ${id}`, "to let exactly this happen, once");
      out.next(`nuncio approval deny ${id}`, "to refuse it");
    }
    return undefined;
  },
};
