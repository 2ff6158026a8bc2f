import { NuncioError } from "../shared/errors.js";
import { type PeerDesk, requirePinned } from "./desk.js";
import type { Dispatch } from "./dispatch.js";
import { knownTask, lookAtRemote, storable } from "./look-at-remote.js";

/**
 * Asks the peer to stop what it does for us, where it was pinned that this can be asked; what it says to that is a fact of
 * its own, and does not say that the work has stopped. Then its task is looked at: only that shows an end.
 *
 * @param again asks another time when an earlier one was not answered
 * @returns null when there was nothing to ask
 */
export async function askToCancel(
  desk: PeerDesk,
  dispatch: Dispatch,
  { again, signal }: { again: boolean; signal?: AbortSignal },
): Promise<Dispatch | null> {
  const { store, clock, registry } = desk;
  const { tenant, taskId, peer } = dispatch;
  const known = knownTask(dispatch);
  if (known === null || dispatch.facts.remoteTerminal !== null) return null;
  const { pin } = requirePinned(registry, peer);
  if (!pin.supports.cancel) return null;
  const client = await desk.open(pin, signal);
  const asked = await store.note({ tenant, taskId, fact: { type: "cancel_asked", again }, now: clock.now() });
  if (!asked.noted) return null;
  const answer = await client.cancel(known, { signal }).then(
    ({ state }) => state as string,
    (error) => {
      if (NuncioError.is(error) && error.reason === "AGENT_REFUSED") return storable(error);
      throw error;
    },
  );
  const fact = { type: "cancel_answered", answer } as const;
  const { dispatch: answered } = await store.note({ tenant, taskId, fact, now: clock.now() });
  return (await lookAtRemote(desk, answered, known, signal)).dispatch;
}
