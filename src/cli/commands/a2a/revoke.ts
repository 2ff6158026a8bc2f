import type { CliCommand } from "../../cli.js";

export const command: CliCommand = {
  describe(command) {
    command.addHelpText(
      "after",
      "\nThe peer is let in no more, at once, and its open streams end. What its message has begun goes on:\nnuncio task cancel ends that.",
    );
  },
  async run({ args: [id = ""], cli: { out, client } }) {
    const grant = await (await client()).revokeGrant(id);
    out.result(grant, () => `${id} is revoked`);
    if (grant.taskId !== null) out.next(`nuncio task show ${grant.taskId}`, "to see what its message has begun");
    return undefined;
  },
};
