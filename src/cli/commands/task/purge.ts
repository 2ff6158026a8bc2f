import { NuncioError } from "../../../shared/errors.js";
import { spanInSeconds } from "../../arguments.js";
import type { CliCommand } from "../../cli.js";

interface Options {
  context?: string;
  tenant?: string;
  olderThan?: number;
}

export const command: CliCommand<Options> = {
  describe(command) {
    command
      .option("--context <id>", "the tasks of this conversation")
      .option("--older-than <span>", "what ended longer ago than this, such as 7d", spanInSeconds)
      .option("--tenant <tenant>", "of this tenant (default: all; with --context: default)");
  },
  async run({ args: [id], options: { context, tenant, olderThan }, cli: { out, client } }) {
    const several = context !== undefined || olderThan !== undefined;
    if ((id === undefined) !== several) throw sayWhat();
    const control = await client();
    const result = { purged: 0, kept: 0 };
    if (id !== undefined) {
      result.purged = (await control.purgeTask(id)).purged;
    } else {
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const query = { contextId: context, tenant, olderThanSeconds: olderThan, cursor };
        const done = await control.purgeTasks(query);
        result.purged += done.purged;
        result.kept += done.kept;
        cursor = done.nextCursor;
      }
    }
    out.result(result, () => `${result.purged} purged`);
    if (result.kept > 0) {
      out.note(
        `${result.kept} stay with what they delegated: something of them works, is younger, or is a dead letter`,
      );
    }
    return undefined;
  },
};

const sayWhat = () =>
  new NuncioError("invalid_argument", "say what is to go: the id of a task, or --context, or --older-than", {
    hint: "`nuncio task purge --help` explains them",
  });
