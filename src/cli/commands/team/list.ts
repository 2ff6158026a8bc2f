import { positiveInteger } from "../../arguments.js";
import type { CliCommand } from "../../cli.js";
import { nextOf, plannedTable, plannedText } from "../../planned-text.js";

interface Options {
  tenant?: string;
  limit?: number;
  cursor?: string;
}

export const command: CliCommand<Options> = {
  describe(command) {
    command
      .option("--tenant <tenant>", "planned tasks of this tenant (default: of all)")
      .option("--limit <n>", "at most this many, up to 1000 (default: 50)", positiveInteger)
      .option("--cursor <cursor>", "continue after an earlier page")
      .addHelpText("after", "\nWith an id: its steps, who does them, what they used, and what was admitted.");
  },
  async run({ args: [id], options: { tenant, limit, cursor }, cli: { out, client } }) {
    const control = await client();
    if (id !== undefined) {
      const planned = await control.plannedTask(id);
      out.result(planned, () => plannedText(planned, out.colors));
      const next = nextOf(planned);
      if (next !== null) out.next(...next);
      return undefined;
    }
    const page = await control.plannedTasks({ tenant, limit, cursor });
    out.result(page, () => (page.plannedTasks.length === 0 ? "" : plannedTable(page.plannedTasks, out.colors)));
    if (page.plannedTasks.length === 0) out.note("no planned tasks");
    if (page.nextCursor !== null) {
      const same = Object.entries({ tenant, limit }).flatMap(([name, value]) =>
        value === undefined ? [] : [`--${name} ${value}`],
      );
      out.next(["nuncio team list", ...same, `--cursor ${page.nextCursor}`].join(" "), "for older ones");
    }
    return undefined;
  },
};
