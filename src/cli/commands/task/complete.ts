import type { PlannedTaskJson } from "../../../http/control/schema/planned-task.js";
import { wholeNumber } from "../../arguments.js";
import type { CliCommand } from "../../cli.js";
import { EXIT } from "../../exit-code.js";
import { checkText, nextOf } from "../../planned-text.js";

export const command: CliCommand<{ revision: number }> = {
  describe(command) {
    command
      .requiredOption("--revision <n>", "the revision that you have looked at", wholeNumber)
      .addHelpText(
        "after",
        "\nRuns the checks of the plan in its workspace, as the user that runs the daemon. It is complete" +
          "\nwhen every step has a completed run and all checks are green. Ctrl-C ends the check that runs," +
          "\nand nothing is complete.",
      );
  },
  async run({ args: [id = ""], options: { revision }, cli: { out, client } }) {
    let planned: PlannedTaskJson | undefined;
    for await (const line of (await client()).completePlannedTask(id, revision)) {
      if (line.type === "check") out.write(`${checkText(line.check, out.colors)}\n`);
      else planned = line.plannedTask;
    }
    if (planned === undefined) throw new Error("the daemon has not said what came of it");
    const done = planned.state === "completed";
    const { lastChecks } = planned;
    out.result(
      {
        plannedTaskId: planned.id,
        state: planned.state,
        revision: planned.revision,
        checks: lastChecks,
        plannedTask: planned,
      },
      () => (done ? `${planned.id} is complete` : `${planned.id} is not complete: not all checks are green`),
    );
    if (done) return EXIT.done;
    const next = nextOf(planned);
    if (next !== null) out.next(...next);
    return EXIT.failed;
  },
};
