import { invalidArgument } from "../../../shared/errors.js";
import { readTextFile } from "../../../shared/text-file.js";
import { positiveInteger } from "../../arguments.js";
import type { CliCommand } from "../../cli.js";
import { dispatchText } from "../../dispatch-text.js";
import { readText } from "../../read-text.js";

interface Options {
  message: string;
  revision: number;
}

const HELP = `
The text of the file goes to the peer as it is, once, as a further message of the same remote task,
and takes an invocation of the allowance. Nothing is added to it. A revision that is not the current
one changes nothing: look again with nuncio a2a inspect.`;

export const command: CliCommand<Options> = {
  describe(command) {
    command
      .requiredOption("--message <file>", "the file with the answer; - for standard input")
      .requiredOption("--revision <n>", "of the dispatch, as you have looked at it", positiveInteger)
      .addHelpText("after", HELP);
  },
  async run({ args: [child = ""], options: { message, revision }, cli }) {
    const { out } = cli;
    const text = await textIn(message);
    const dispatch = await (await cli.client()).answerPeer(child, { text, revision });
    out.result(dispatch, () => dispatchText(dispatch, out.colors));
    out.next(`nuncio task watch ${child}`, "to follow it");
    return undefined;
  },
};

const MAX_BYTES = 1024 * 1024;

async function textIn(file: string): Promise<string> {
  if (file === "-") return await readText(file);
  const read = await readTextFile(file, MAX_BYTES);
  if ("problem" in read) throw invalidArgument("message", `${file} ${read.problem}`);
  return read.text;
}
