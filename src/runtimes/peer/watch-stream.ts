import { type RemoteUpdate, stateWords } from "../../a2a/client/remote-task.js";
import { type PeerDesk, requirePinned } from "../../peers/desk.js";
import type { Dispatch } from "../../peers/dispatch.js";
import { storable } from "../../peers/look-at-remote.js";
import type { KnownTask } from "../../peers/peer-client.js";
import { newId } from "../../shared/ids.js";
import { textOf } from "../../tasks/message.js";
import type { Run } from "../../tasks/runner.js";

/** A stream keeps a slot of the daemon, and its peer decides when it ends: afterwards it is looked at now and then. */
const LONGEST_MS = 15_000;
/** Of what it says meanwhile. */
const MOST_UPDATES = 50;
const MAX_TEXT = 1024;

/**
 * Watches the peer's stream for a while, once per dispatch, and not beyond the local deadline. What it shows is progress, and
 * nothing that is kept: the saved task is the result. How it ends says nothing about the work.
 */
export async function watchStream(desk: PeerDesk, run: Run, dispatch: Dispatch, known: KnownTask): Promise<void> {
  const { store, clock, registry } = desk;
  const { tenant, taskId, peer } = dispatch;
  const note = (fact: { type: "stream_opened" } | { type: "stream_closed"; end: string }) =>
    store.note({ tenant, taskId, fact, now: clock.now() });
  const deadlineAt = dispatch.facts.localDeadline?.at ?? Number.POSITIVE_INFINITY;
  const untilDeadline = Math.max(0, deadlineAt - clock.now());
  const left = AbortSignal.timeout(Math.min(LONGEST_MS, untilDeadline));
  let opened = false;
  try {
    const client = await desk.open(requirePinned(registry, peer).pin, run.signal);
    const updates = await client.subscribe(known, { signal: AbortSignal.any([run.signal, left]) });
    opened = (await note({ type: "stream_opened" })).noted;
    let shown = 0;
    for await (const update of updates) if (shown++ < MOST_UPDATES) show(run, peer, update);
    if (opened) await note({ type: "stream_closed", end: "the peer ended it" });
  } catch (error) {
    const why = untilDeadline < LONGEST_MS ? "left: the time for the work is up" : "left: it was open for long";
    const end = run.stopped ? "the daemon stopped" : left.aborted ? why : storable(error);
    if (opened) await note({ type: "stream_closed", end });
  }
}

function show(run: Run, peer: string, update: RemoteUpdate): void {
  const text = textIn(update).slice(0, MAX_TEXT);
  const state = update.type === "task" ? update.task.state : update.type === "status" ? update.state : null;
  const said = { peer, tentative: true, ...(state !== null && { state }), ...(text !== "" && { text }) };
  const parts = [{ text: `Peer ${peer}${state === null ? "" : `, ${stateWords(state)}`} (tentative)` }, { data: said }];
  run.emit({ type: "status", message: { messageId: newId(), role: "agent", parts } });
}

function textIn(update: RemoteUpdate): string {
  if (update.type === "artifact") return textOf(update.artifact);
  const message = update.type === "task" ? update.task.statusMessage : update.message;
  return message === null ? "" : textOf(message);
}
