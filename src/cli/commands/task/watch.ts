import { positiveInteger } from "../../arguments.js";
import type { CliCommand } from "../../cli.js";
import { waitFor } from "../../wait-for.js";

export const command: CliCommand<{ timeout?: number }> = {
  describe(command) {
    command.option("--timeout <ms>", "watch at most this long; the task goes on", positiveInteger);
  },
  async run({ args: [id = ""], options, cli }) {
    return waitFor(cli, await cli.client(), id, { stream: true, timeoutMs: options.timeout });
  },
};
