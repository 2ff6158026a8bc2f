import type { Attempt } from "../../tasks/attempt.js";
import type { RunOutcome, TaskRunner } from "../../tasks/runner.js";
import { follow } from "./follow.js";
import { failed } from "./outcome.js";
import { type SendDeps, sendTurn } from "./send-turn.js";

/**
 * Tasks that a peer works on. Each attempt goes by what is written down: what was intended is never sent again, and what
 * the peer has is looked at until it ends. Nothing of it is in memory between two attempts.
 */
export class PeerRunner implements TaskRunner {
  readonly #deps: SendDeps;

  constructor(deps: SendDeps) {
    this.#deps = deps;
  }

  async run(run: Attempt): Promise<RunOutcome> {
    const { store, clock } = this.#deps;
    const { tenant, taskId } = run.lease;
    let dispatch = await store.dispatch(tenant, taskId);
    if (dispatch === null) return failed("no dispatch was prepared for this task");
    const send = dispatch.sends.find(({ turn }) => turn === run.turn);
    if (send?.state === "sending") {
      // Whoever intended it is gone. Whether the peer has it can be found out by nothing that we may do.
      const outcome = {
        type: "unknown",
        error: "the attempt that was sending it has ended without an answer",
      } as const;
      dispatch = await store.settleSend({ tenant, taskId, turn: run.turn, outcome, now: clock.now() });
    } else if (send === undefined && dispatch.facts.remoteTerminal === null && dispatch.state !== "unknown") {
      const sent = await sendTurn(this.#deps, run, dispatch);
      if ("type" in sent) return sent;
      dispatch = sent;
    }
    switch (dispatch.state) {
      case "accepted":
        return await follow(this.#deps, run, dispatch);
      case "refused":
        return failed(`peer ${dispatch.peer} has not taken it up: ${dispatch.lastError ?? "it was refused"}`);
      case "unknown":
        return failed(
          `whether peer ${dispatch.peer} has taken it up is not known (${dispatch.lastError ?? ""}): it is not sent again`,
        );
      default:
        throw new Error(`a dispatch is ${dispatch.state} after its message was sent`);
    }
  }
}
