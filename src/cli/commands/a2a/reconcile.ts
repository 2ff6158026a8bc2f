import type { CliCommand } from "../../cli.js";
import { dispatchText } from "../../dispatch-text.js";

interface Options {
  runId: string;
  cancel?: boolean;
  releaseSlot?: boolean;
}

const HELP = `
Gets the remote task that is known, and writes down what it shows; with --cancel, where that was
pinned, the peer is asked to cancel it first. Nothing is ever sent again: when the id of the remote
task was lost, there is nothing to look at. --release-slot frees the slot of a peer on your word
that nothing goes on there; it asks nobody, and the receipt says whose word it was.

The run id stands in: nuncio a2a inspect CHILD_ID`;

export const command: CliCommand<Options> = {
  describe(command) {
    command
      .requiredOption("--run-id <id>", "the run that you have looked at")
      .option("--cancel", "ask the peer to cancel it")
      .option("--release-slot", "free the slot of the peer, on your word")
      .addHelpText("after", HELP);
  },
  async run({ args: [child = ""], options: { runId, cancel, releaseSlot }, cli }) {
    const { out } = cli;
    const dispatch = await (await cli.client()).reconcile(child, { runId, cancel, releaseSlot });
    out.result(dispatch, () => dispatchText(dispatch, out.colors));
    if (dispatch.holdsSlot)
      out.note("it still takes a slot of the peer: the peer has not shown that its task has ended");
    out.next(`nuncio a2a inspect ${child}`, "for the receipts");
    return undefined;
  },
};
