import { isSettled, type RemoteTask } from "../../a2a/client/remote-task.js";
import { type PeerDesk, requirePinned } from "../../peers/desk.js";
import type { Dispatch } from "../../peers/dispatch.js";
import { knownTask, lookAtRemote } from "../../peers/look-at-remote.js";
import { NuncioError } from "../../shared/errors.js";
import { textOf } from "../../tasks/message.js";
import type { Run, RunOutcome } from "../../tasks/runner.js";
import { waiting } from "./look-again.js";
import { artifactsOf, asking, failed, outcomeOfRemote, quote } from "./outcome.js";
import { watchStream } from "./watch-stream.js";

/** What has become of work that a peer has taken up: it is looked at, and if it goes on we wait, and hold nothing. */
export async function follow(desk: PeerDesk, run: Run, before: Dispatch): Promise<RunOutcome> {
  const { tenant, taskId, peer, facts } = before;
  if (facts.remoteTerminal !== null) return ended(run, before);
  const known = knownTask(before);
  if (known === null) return failed(`peer ${peer} has taken it up and told no id: nothing can be looked at`);
  await readStream(desk, run, before);
  let looked: { dispatch: Dispatch; task: RemoteTask } | null = null;
  try {
    looked = await lookAtRemote(desk, before, known, run.signal);
  } catch (error) {
    if (run.stopped || !NuncioError.is(error)) throw error;
    if (isLost(error)) {
      return failed(`peer ${peer} does not know task ${quote(known.taskId)} any more; what became of it is not known`);
    }
  }
  if (looked !== null) {
    const { dispatch, task } = looked;
    if (dispatch.facts.remoteTerminal !== null) return ended(run, dispatch);
    if (isSettled(task.state)) {
      const waitingFor = task.state === "TASK_STATE_AUTH_REQUIRED" ? "auth" : "input";
      return asking(dispatch, waitingFor, task.statusMessage === null ? null : textOf(task.statusMessage));
    }
  }
  const now = desk.clock.now();
  const deadlineAt = facts.localDeadline?.at ?? null;
  if (deadlineAt !== null && deadlineAt <= now) {
    await desk.store.note({ tenant, taskId, fact: { type: "deadline_passed" }, now });
    return failed(`peer ${peer} had not ended its task in time; whether it goes on there is not known`);
  }
  return waiting(before, now);
}

/** Once, where it was pinned. One that was open when a daemon died is closed. */
async function readStream(desk: PeerDesk, run: Run, dispatch: Dispatch): Promise<void> {
  const { store, clock, registry } = desk;
  const { tenant, taskId, facts, peer } = dispatch;
  const known = knownTask(dispatch);
  if (facts.streamClosed === null) {
    if (known === null || registry.get(peer) === undefined) return;
    if (requirePinned(registry, peer).pin.supports.streaming) await watchStream(desk, run, dispatch, known);
  } else if (facts.streamClosed.closedAt === null) {
    const fact = { type: "stream_closed", end: "the daemon that read it is gone" } as const;
    await store.note({ tenant, taskId, fact, now: clock.now() });
  }
}

function ended(run: Run, dispatch: Dispatch): RunOutcome {
  if (dispatch.result !== null) {
    for (const artifact of artifactsOf(dispatch.peer, dispatch.result)) {
      run.emit({ type: "artifact", artifact, append: false, lastChunk: true });
    }
  }
  return outcomeOfRemote(dispatch);
}

/** The peer has answered that there is no such task, as one does whose tasks are gone with a restart. */
const isLost = (error: NuncioError): boolean => error.reason === "AGENT_REFUSED" && error.code === "not_found";
