import { positiveInteger } from "../arguments.js";
import type { CliCommand } from "../cli.js";
import { readText } from "../read-text.js";
import { waitFor } from "../wait-for.js";

interface Options {
  wait?: boolean;
  stream?: boolean;
  context?: string;
  tenant?: string;
  messageId?: string;
  timeout?: number;
}

export const command: CliCommand<Options> = {
  describe(command) {
    command
      .option("-w, --wait", "wait for the result and print it")
      .option("-s, --stream", "wait, and show the delegation tree and the text as they happen")
      .option("--context <id>", "continue this conversation")
      .option("--tenant <tenant>", "tenant of the persona (default: default)")
      .option("--message-id <id>", "makes it safe to repeat the command: the same id gives the same task")
      .option("--timeout <ms>", "wait at most this long; the task goes on", positiveInteger)
      .addHelpText(
        "after",
        '\nA text of "-" is read from standard input. Before one that begins with a dash, write --.\n\nExample: nuncio send researcher "What is A2A?" --wait',
      );
  },
  async run({ args: [persona = "", text = ""], options, cli }) {
    const client = await cli.client();
    const task = await client.send({
      persona,
      text: await readText(text),
      contextId: options.context,
      tenant: options.tenant,
      messageId: options.messageId,
    });
    if (options.wait || options.stream || options.timeout !== undefined) {
      return waitFor(cli, client, task.id, { stream: options.stream === true, timeoutMs: options.timeout });
    }
    cli.out.result(task, () => task.id);
    cli.out.next(`nuncio task watch ${task.id}`, "to follow it");
    return undefined;
  },
};
