import { resolve } from "node:path";
import { NuncioError } from "../../../shared/errors.js";
import { readTextFile } from "../../../shared/text-file.js";
import type { CliCommand } from "../../cli.js";
import { nextOf, plannedText } from "../../planned-text.js";

const MAX_BYTES = 512 * 1024;

interface Options {
  plan: string;
  workspace: string;
  tenant?: string;
}

export const command: CliCommand<Options> = {
  describe(command) {
    command
      .requiredOption("--plan <file>", "the plan: steps, checks and limits, in YAML")
      .requiredOption("--workspace <dir>", "the directory whose files are admitted as they are now")
      .option("--tenant <tenant>", "whose it is (default: default)")
      .addHelpText(
        "after",
        "\nWhat a .gitignore names, what is likely to be a secret, links and devices are left out;" +
          "\n`nuncio team list ID` says why. The checks run in the workspace when the planned task is to be" +
          "\ncompleted.",
      );
  },
  async run({ options: { plan: file, workspace, tenant }, cli: { out, client } }) {
    const read = await readTextFile(file, MAX_BYTES);
    if ("problem" in read) {
      throw new NuncioError("invalid_argument", `the plan ${file} ${read.problem}`, { hint: "name one with --plan" });
    }
    const planned = await (await client()).createPlannedTask({
      plan: read.text,
      file,
      workspace: resolve(workspace),
      tenant,
    });
    out.result(planned, () => plannedText(planned, out.colors));
    const next = nextOf(planned);
    if (next !== null) out.next(...next);
    return undefined;
  },
};
