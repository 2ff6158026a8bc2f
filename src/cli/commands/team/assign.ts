import { positiveInteger, wholeNumber } from "../../arguments.js";
import type { CliCommand } from "../../cli.js";
import { assignmentTable } from "../../planned-text.js";

interface Options {
  step: string;
  profile: string;
  runtime: string;
  persona?: string;
  invocations: number;
  revision: number;
}

export const command: CliCommand<Options> = {
  describe(command) {
    command
      .requiredOption("--step <id>", "the step of the plan")
      .requiredOption("--profile <name>", "nuncio/reviewer, nuncio/builder, nuncio/tester, or one of the configuration")
      .requiredOption("--runtime <peer|native>", "the name of a pinned peer, or native for a persona")
      .option("--persona <name>", "who does it natively (default: whom the step names)")
      .requiredOption("--invocations <n>", "how much of what the plan may cost it may use", positiveInteger)
      .requiredOption("--revision <n>", "the revision of the planned task that you have looked at", wholeNumber)
      .addHelpText(
        "after",
        "\nA peer gets profiles of the kind analysis only, and only where the plan says `token_units: null`.",
      );
  },
  async run({ args: [id = ""], options, cli: { out, client } }) {
    const { step, profile, runtime, persona, invocations, revision } = options;
    const made = await (await client()).assignStep(id, { step, profile, runtime, persona, invocations, revision });
    out.result(made, () => assignmentTable([made.assignment], out.colors));
    const { assignmentId, generation } = made;
    out.next(
      `nuncio team run ${id} --assignment ${assignmentId} --generation ${generation} --revision ${made.revision}`,
      "to have it done",
    );
    return undefined;
  },
};
