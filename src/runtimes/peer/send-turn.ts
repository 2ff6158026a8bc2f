import type { SendOutcome } from "../../a2a/client/outcome.js";
import { type Composed, composeAnswer, composeWork } from "../../peers/compose-message.js";
import { type PeerDesk, requirePinned } from "../../peers/desk.js";
import { pinnedFiles } from "../../peers/disclose.js";
import type { Dispatch } from "../../peers/dispatch.js";
import { storable } from "../../peers/look-at-remote.js";
import type { PeerClient } from "../../peers/peer-client.js";
import type { PinnedPeer } from "../../peers/peer-registry.js";
import type { SettleSend } from "../../peers/peer-store.js";
import { resultOfMessage } from "../../peers/take-result.js";
import type { PlanStore } from "../../plans/plan-store.js";
import { messageOf, NuncioError } from "../../shared/errors.js";
import type { Attempt } from "../../tasks/attempt.js";
import type { RunOutcome } from "../../tasks/runner.js";
import { waiting } from "./look-again.js";
import { failed } from "./outcome.js";
import { untilWritten } from "./until-written.js";

export interface SendDeps extends PeerDesk {
  plans: Pick<PlanStore, "assignmentOfChild" | "files" | "content">;
}

/** An attempt that is told to stop lets an answer that is on its way arrive for so long: without it all is unknown. */
const LAST_WORDS_MS = 3000;

/**
 * Sends the message of this turn, once. Whatever goes wrong before the intent is committed has sent nothing; whatever
 * happens behind it, this message is never sent again.
 */
export async function sendTurn(deps: SendDeps, run: Attempt, dispatch: Dispatch): Promise<Dispatch | RunOutcome> {
  const { store, clock } = deps;
  const { tenant, taskId } = run.lease;
  const { localDeadline } = dispatch.facts;
  if (localDeadline !== null && localDeadline.at <= clock.now()) {
    await store.note({ tenant, taskId, fact: { type: "deadline_passed" }, now: clock.now() });
    return failed(`the time for peer ${dispatch.peer} was up before anything was sent`);
  }
  const ready = await prepare(deps, run, dispatch);
  if ("type" in ready) return ready;
  const { client, composed } = ready;
  const { message, bodyDigest, disclosed } = composed;
  const { messageId } = message;
  const intent = { lease: run.lease, turn: run.turn, messageId, bodyDigest, disclosed, now: clock.now() };
  if (!(await store.intend(intent))) throw new Error("a message was intended before, and is not sent again");
  const outcome = await sendOnce(client, composed, dispatch, run);
  const settle: SettleSend = { tenant, taskId, turn: run.turn, outcome: settled(outcome), now: clock.now() };
  return await untilWritten(() => store.settleSend(settle));
}

/** Everything that can fail without anything having left. */
async function prepare(
  deps: SendDeps,
  run: Attempt,
  dispatch: Dispatch,
): Promise<{ client: PeerClient; composed: Composed } | RunOutcome> {
  const { store, clock, registry } = deps;
  const { tenant, taskId } = dispatch;
  try {
    const pinned = requirePinned(registry, dispatch.peer);
    if (run.turn === 1 && pinned.pinDigest !== dispatch.pinDigest) {
      return failed(`peer ${dispatch.peer} was pinned anew after this run was prepared: nothing was sent`);
    }
    const composed = await compose(deps, run, dispatch, pinned);
    return { client: await deps.open(pinned.pin, run.signal), composed };
  } catch (error) {
    if (run.stopped || !NuncioError.is(error)) throw error;
    await store.note({ tenant, taskId, fact: { type: "contact_failed", error: storable(error) }, now: clock.now() });
    // Work that has been taken up does not fail since the way there is down: the answer waits.
    if (run.turn > 1 && error.retryable) return waiting(dispatch, clock.now());
    return failed(`nothing was sent: ${messageOf(error)}`, error.retryable);
  }
}

async function compose({ plans }: SendDeps, run: Attempt, dispatch: Dispatch, { pin }: PinnedPeer): Promise<Composed> {
  const along = { hop: run.task.hop + 1, skill: pin.skill };
  if (run.turn > 1) return composeAnswer(dispatch, run.turn, run.message, along);
  const found = await plans.assignmentOfChild(dispatch.tenant, dispatch.taskId);
  const step = found?.plan.plan.steps.find(({ id }) => id === found.assignment.step);
  if (found === null || step === undefined) {
    throw new NuncioError("failed_precondition", "the planned task that this work belongs to is gone");
  }
  const files = await pinnedFiles(plans, found.plan, pin.files);
  return composeWork(dispatch, { instruction: step.instruction, profile: found.assignment.profile.text, files }, along);
}

async function sendOnce(
  client: PeerClient,
  { message }: Composed,
  { remoteTaskId, remoteContextId }: Dispatch,
  run: Attempt,
): Promise<SendOutcome> {
  if (run.stopped) return { outcome: "refused", error: new Error("stopped before anything was sent") };
  const giveUp = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const onStop = () => {
    timer = setTimeout(() => giveUp.abort(new Error("stopped while it was waiting for the answer")), LAST_WORDS_MS);
  };
  run.signal.addEventListener("abort", onStop, { once: true });
  try {
    const ids = { taskId: remoteTaskId ?? undefined, contextId: remoteContextId ?? undefined };
    return await client.send({ message, waits: false, ...ids }, { signal: giveUp.signal });
  } finally {
    clearTimeout(timer);
    run.signal.removeEventListener("abort", onStop);
  }
}

function settled(outcome: SendOutcome): SettleSend["outcome"] {
  if (outcome.outcome !== "accepted") return { type: outcome.outcome, error: storable(outcome.error) };
  const { value } = outcome;
  if (value.type === "task") {
    return { type: "accepted", remoteTaskId: value.task.id, remoteContextId: value.task.contextId, answer: null };
  }
  // A message that names a task is news of that task, which shows the rest itself.
  const answer = value.taskId === null ? resultOfMessage(value.message) : null;
  return { type: "accepted", remoteTaskId: value.taskId, remoteContextId: value.contextId, answer };
}
