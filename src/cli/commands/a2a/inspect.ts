import type { CliCommand } from "../../cli.js";
import { dispatchDetailText } from "../../dispatch-text.js";

const HELP = `
Shows what is written down; the peer is not asked (nuncio a2a reconcile does that). A remote
terminal receipt, local cleanup, the acknowledgement of a cancel, a closed stream and a local
deadline are five facts: none of them says anything about another. What a peer uses for its work
cannot be observed. CHILD is the task that nuncio team run has made.`;

export const command: CliCommand = {
  describe(command) {
    command.addHelpText("after", HELP);
  },
  async run({ args: [child = ""], cli }) {
    const { out } = cli;
    const dispatch = await (await cli.client()).dispatch(child);
    out.result(dispatch, () => dispatchDetailText(dispatch, out.colors));
    if (dispatch.state === "prepared" && dispatch.lastError !== null) {
      out.next(`nuncio a2a peers ${dispatch.peer} --check`, "to see whether it is what was pinned");
    }
    if (
      dispatch.holdsSlot &&
      dispatch.taskState === "waiting" &&
      dispatch.remoteState?.endsWith("_REQUIRED") === true
    ) {
      out.next(`nuncio a2a answer ${child} --message FILE --revision ${dispatch.revision}`, "to answer, once");
    }
    return undefined;
  },
};
