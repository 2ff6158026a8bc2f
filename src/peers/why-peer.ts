import { stateWords } from "../a2a/client/remote-task.js";
import { durationText } from "../shared/duration.js";
import type { QueueFacts } from "../tasks/ledger.js";
import { isTerminal } from "../tasks/task-state.js";
import type { Dispatch } from "./dispatch.js";
import type { PinnedPeer } from "./peer-registry.js";

/**
 * Why a task that a peer works on is not further along, or what it has left open; null where what is said of every task is
 * right, too.
 */
export function whyPeer(
  { task, wakeAt }: Pick<QueueFacts, "task" | "wakeAt">,
  dispatch: Dispatch,
  pinned: PinnedPeer | undefined,
  now: number,
): string | null {
  const { peer } = dispatch;
  if (isTerminal(task.state)) return dispatch.holdsSlot ? slotHeld(dispatch) : null;
  if (pinned === undefined) {
    return `Peer ${peer} is not in the registry of this daemon: put its pin into the file of --a2a-config and run \`nuncio reload\`, or end the task with \`nuncio task cancel ${task.id}\`.`;
  }
  if (task.state !== "waiting") return null;
  const trouble = dispatch.lastError === null ? "" : ` The last look failed: ${short(dispatch.lastError)}.`;
  if (task.waitingFor === "input" || task.waitingFor === "auth") {
    return `Peer ${peer} asks for ${task.waitingFor === "input" ? "input" : "an authorization"}; nothing is passed on by itself: \`nuncio a2a answer ${task.id} --message FILE --revision ${dispatch.revision}\`.`;
  }
  const next = wakeAt === null || wakeAt <= now ? "now" : `in ${durationText(wakeAt - now)}`;
  const state =
    dispatch.remote === null ? "has taken the work up" : `shows its task as ${stateWords(dispatch.remote.state)}`;
  const until = dispatch.facts.localDeadline;
  const limit = until === null ? "" : ` We wait for another ${durationText(Math.max(0, until.at - now))} at most.`;
  return `Waiting for peer ${peer}, which ${state}; it is looked at again ${next}.${limit}${trouble}`;
}

function slotHeld({ peer, taskId, runId, state, remoteTaskId }: Dispatch): string {
  const what =
    state === "unknown" && remoteTaskId === null
      ? `whether peer ${peer} has taken the work up is not known`
      : `peer ${peer} has not shown that its task has ended`;
  const command = `nuncio a2a reconcile ${taskId} --run-id ${runId}`;
  const how = remoteTaskId === null ? `\`${command} --release-slot\` frees it` : `\`${command}\` looks at it`;
  return `It has ended here, and still takes a slot of the peer: ${what}. ${how}.`;
}

const short = (text: string): string => (text.length > 300 ? `${text.slice(0, 300)}…` : text);
