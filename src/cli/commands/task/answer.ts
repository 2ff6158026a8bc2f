import { positiveInteger } from "../../arguments.js";
import type { CliCommand } from "../../cli.js";
import { readText } from "../../read-text.js";
import { taskText } from "../../task-text.js";
import { waitFor } from "../../wait-for.js";

interface Options {
  wait?: boolean;
  messageId?: string;
  timeout?: number;
}

export const command: CliCommand<Options> = {
  describe(command) {
    command
      .option("-w, --wait", "wait for what comes of it")
      .option("--message-id <id>", "makes it safe to repeat the command: the same id answers once")
      .option("--timeout <ms>", "wait at most this long; the task goes on", positiveInteger)
      .addHelpText(
        "after",
        '\nA text of "-" is read from standard input. Before one that begins with a dash, write --.',
      );
  },
  async run({ args: [id = "", text = ""], options, cli }) {
    const { out } = cli;
    const client = await cli.client();
    const task = await client.answer(id, await readText(text), options.messageId);
    if (task.answeredId !== id) out.note(`the answer went to delegated task ${task.answeredId}, which had asked`);
    if (options.wait || options.timeout !== undefined) {
      return waitFor(cli, client, id, { stream: false, timeoutMs: options.timeout, after: task.seq });
    }
    out.result(task, () => taskText(task, out.colors));
    out.next(`nuncio task watch ${id}`, "to follow it");
    return undefined;
  },
};
