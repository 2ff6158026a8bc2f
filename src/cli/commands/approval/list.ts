import { approvalTable } from "../../approval-text.js";
import { positiveInteger } from "../../arguments.js";
import type { CliCommand } from "../../cli.js";

interface Options {
  all?: boolean;
  task?: string;
  limit?: number;
  cursor?: string;
}

export const command: CliCommand<Options> = {
  describe(command) {
    command
      .option("--all", "also those that are decided")
      .option("--task <id>", "what this task has asked")
      .option("--limit <n>", "at most this many, up to 1000 (default: 50)", positiveInteger)
      .option("--cursor <cursor>", "continue after an earlier page");
  },
  async run({ options: { all, task, limit, cursor }, cli: { out, client } }) {
    const page = await (await client()).approvals({ all, taskId: task, limit, cursor });
    out.result(page, () => (page.approvals.length === 0 ? "" : approvalTable(page.approvals, out.colors)));
    if (page.approvals.length === 0) out.note(all === true ? "no approvals" : "nothing waits for an approval");
    const open = page.approvals.find(({ decision }) => decision === null);
    if (open !== undefined) out.next(`nuncio approval show ${open.id}`, "to see what it is for");
    if (page.nextCursor !== null) {
      const same = Object.entries({ task, limit }).flatMap(([name, value]) =>
        value === undefined ? [] : [`--${name} ${value}`],
      );
      const again = ["nuncio approval list", ...(all ? ["--all"] : []), ...same, `--cursor ${page.nextCursor}`];
      out.next(again.join(" "), "for older ones");
    }
    return undefined;
  },
};
