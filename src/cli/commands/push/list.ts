import { positiveInteger } from "../../arguments.js";
import type { CliCommand } from "../../cli.js";
import { pushTable } from "../../push-text.js";

interface Options {
  state?: string;
  failing?: boolean;
  tenant?: string;
  limit?: number;
  cursor?: string;
}

export const command: CliCommand<Options> = {
  describe(command) {
    command
      .option("--state <state>", "waiting, disabled or done")
      .option("--failing", "only those whose last attempt failed")
      .option("--tenant <tenant>", "of tasks of this tenant (default: of all)")
      .option("--limit <n>", "at most this many, up to 1000 (default: 50)", positiveInteger)
      .option("--cursor <cursor>", "continue after an earlier page")
      .addHelpText("after", "\nWhat stands behind the ? of a URL is not shown.");
  },
  async run({ options: { state, failing, tenant, limit, cursor }, cli: { out, client } }) {
    const page = await (await client()).pushes({ state, failing, tenant, limit, cursor });
    out.result(page, () => (page.pushes.length === 0 ? "" : pushTable(page.pushes, out.colors)));
    if (page.pushes.length === 0) out.note("no push notifications");
    const off = page.pushes.find((push) => push.state === "disabled");
    if (off !== undefined) out.next(`nuncio push retry ${off.taskId}`, "to enable what was given up, and try again");
    if (page.nextCursor !== null) {
      const same = Object.entries({ state, tenant, limit }).flatMap(([name, value]) =>
        value === undefined ? [] : [`--${name} ${value}`],
      );
      const again = ["nuncio push list", ...same, ...(failing ? ["--failing"] : []), `--cursor ${page.nextCursor}`];
      out.next(again.join(" "), "for older ones");
    }
    return undefined;
  },
};
