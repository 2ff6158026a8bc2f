import { positiveInteger } from "../../arguments.js";
import type { CliCommand } from "../../cli.js";
import { taskTable } from "../../task-text.js";

interface Options {
  state?: string;
  persona?: string;
  tenant?: string;
  context?: string;
  limit?: number;
  cursor?: string;
}

export const command: CliCommand<Options> = {
  describe(command) {
    command
      .option("--state <state>", "pending, claimed, processing, waiting, completed, failed, rejected or canceled")
      .option("--persona <name>", "tasks of this persona")
      .option("--tenant <tenant>", "tasks of this tenant (default: of all)")
      .option("--context <id>", "tasks of this conversation")
      .option("--limit <n>", "at most this many, up to 1000 (default: 50)", positiveInteger)
      .option("--cursor <cursor>", "continue after an earlier page");
  },
  async run({ options: { state, persona, tenant, context, limit, cursor }, cli: { out, client } }) {
    const page = await (await client()).tasks({ state, persona, tenant, contextId: context, limit, cursor });
    out.result(page, () => (page.tasks.length === 0 ? "" : taskTable(page.tasks, out.colors)));
    if (page.tasks.length === 0) out.note("no tasks");
    if (page.nextCursor !== null) {
      const same = Object.entries({ state, persona, tenant, context, limit }).flatMap(([name, value]) =>
        value === undefined ? [] : [`--${name} ${value}`],
      );
      const again = ["nuncio task list", ...same, `--cursor ${page.nextCursor}`].join(" ");
      out.next(again, "for older ones");
    }
    return undefined;
  },
};
