import { NuncioError, notFound } from "../shared/errors.js";
import { askToCancel } from "./ask-to-cancel.js";
import { type PeerDesk, requirePinned } from "./desk.js";
import type { Dispatch } from "./dispatch.js";
import { endLocally } from "./end-locally.js";
import { knownTask, lookAtRemote } from "./look-at-remote.js";

export interface Reconcile {
  tenant: string;
  taskId: string;
  /** Of the dispatch that was looked at. */
  runId: string;
  cancel: boolean;
  releaseSlot: boolean;
  /** Our task has ended. */
  ended: boolean;
}

/**
 * Finds out what can be found out about work that a peer has: its known task is looked at, and where that was pinned it is
 * asked to cancel it. It never sends work: what was lost with the answer to a send stays unknown.
 *
 * @throws NuncioError not_found; conflict RUN_ID_MISMATCH; failed_precondition REMOTE_UNKNOWN, CANCEL_NOT_PINNED,
 *   TASK_NOT_ENDED; of the peer and the way there
 */
export async function reconcile(desk: PeerDesk, command: Reconcile, signal?: AbortSignal): Promise<Dispatch> {
  const { tenant, taskId, runId, cancel, releaseSlot } = command;
  let dispatch = await desk.store.dispatch(tenant, taskId);
  if (dispatch === null) throw notFound("dispatch of task", taskId, "only tasks that a peer works on have one");
  if (dispatch.runId !== runId) throw otherRun(taskId, runId);
  if (command.ended) dispatch = await endLocally(desk, tenant, taskId);
  if (releaseSlot) {
    if (!command.ended) throw notEnded(taskId);
    const fact = { type: "slot_released", why: "the operator released it" } as const;
    return (await desk.store.note({ tenant, taskId, fact, now: desk.clock.now() })).dispatch;
  }
  if (dispatch.facts.remoteTerminal !== null) return dispatch;
  const known = knownTask(dispatch);
  if (known === null) throw remoteUnknown(dispatch);
  if (cancel) {
    if (!requirePinned(desk.registry, dispatch.peer).pin.supports.cancel) throw cancelNotPinned(dispatch.peer);
    const asked = await askToCancel(desk, dispatch, { again: true, ...(signal !== undefined && { signal }) });
    if (asked !== null) return asked;
  }
  return (await lookAtRemote(desk, dispatch, known, signal)).dispatch;
}

const otherRun = (taskId: string, runId: string): NuncioError =>
  new NuncioError("conflict", `the dispatch of task ${taskId} is not run ${JSON.stringify(runId)}`, {
    reason: "RUN_ID_MISMATCH",
    field: "runId",
    hint: `\`nuncio a2a inspect ${taskId}\` shows its run id`,
  });

const remoteUnknown = ({ peer, state, taskId, runId }: Dispatch): NuncioError =>
  new NuncioError(
    "failed_precondition",
    `peer ${peer} has told no id of a task (the dispatch is ${state}): there is nothing that could be looked at, and nothing is sent again`,
    {
      reason: "REMOTE_UNKNOWN",
      hint: `ask whoever runs the peer; when you know that nothing goes on there: nuncio a2a reconcile ${taskId} --run-id ${runId} --release-slot`,
    },
  );

const cancelNotPinned = (peer: string): NuncioError =>
  new NuncioError("failed_precondition", `the pin of peer ${peer} does not say that it supports cancel`, {
    reason: "CANCEL_NOT_PINNED",
    hint: "leave out --cancel to look only, or review the peer and pin it anew with --supports-cancel",
  });

const notEnded = (taskId: string): NuncioError =>
  new NuncioError("failed_precondition", `task ${taskId} has not ended: the slot is in use`, {
    reason: "TASK_NOT_ENDED",
    hint: `end it first: nuncio task cancel ${taskId}`,
  });
