import type { CliCommand } from "../../cli.js";
import { grantTable, grantText } from "../../grant-text.js";

export const command: CliCommand<{ assignment?: string }> = {
  describe(command) {
    command
      .option("--assignment <id>", "only those for this assignment")
      .addHelpText(
        "after",
        "\nOpen: it waits for its message. Spent: the peer may look at the task that its message made, and\nnothing else. Expired, revoked: it lets nobody in. With the id of one: what arrived by it, too.",
      );
  },
  async run({ args: [id], options: { assignment }, cli: { out, client } }) {
    const control = await client();
    if (id !== undefined) {
      const grant = await control.grant(id);
      out.result(grant, () => grantText(grant, out.colors));
      if (grant.taskId !== null) out.next(`nuncio task show ${grant.taskId}`, "to see what came of it");
      return undefined;
    }
    const { grants } = await control.grants(assignment);
    out.result({ grants }, () => grantTable(grants, out.colors));
    if (grants.length > 0) return undefined;
    out.note("no grants");
    out.next("nuncio a2a grant --help", "to see how a peer is let in");
    return undefined;
  },
};
