import { spanInSeconds, wholeNumber } from "../../arguments.js";
import type { CliCommand } from "../../cli.js";
import { taskTable } from "../../task-text.js";

interface Options {
  assignment: string;
  generation: number;
  revision: number;
  deadline?: number;
}

export const command: CliCommand<Options> = {
  describe(command) {
    command
      .requiredOption("--assignment <id>", "the assignment")
      .requiredOption("--generation <n>", "how often you have seen it run", wholeNumber)
      .requiredOption("--revision <n>", "the revision of the planned task that you have looked at", wholeNumber)
      .option("--deadline <span>", "how long to wait for a peer, such as 30m", spanInSeconds);
  },
  async run({ args: [id = ""], options, cli: { out, client } }) {
    const { assignment, generation, revision, deadline } = options;
    const begun = await (await client()).runAssignment(id, assignment, {
      generation,
      revision,
      deadlineSeconds: deadline,
    });
    out.result(begun, () => taskTable([begun.child], out.colors));
    if (begun.assignment.peer === null) out.next(`nuncio task watch ${begun.childId}`, "to follow it");
    else out.next(`nuncio a2a inspect ${begun.childId}`, "to see what is known of it");
    out.next(`nuncio team list ${id}`, "for what comes after it");
    return undefined;
  },
};
