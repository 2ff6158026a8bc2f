import { hasEnded, type RemoteTask } from "../a2a/client/remote-task.js";
import { messageOf, NuncioError } from "../shared/errors.js";
import { type PeerDesk, requirePinned } from "./desk.js";
import type { Dispatch } from "./dispatch.js";
import type { KnownTask } from "./peer-client.js";
import { resultOfTask } from "./take-result.js";

/** What the peer calls the work; null when it has never told. */
export const knownTask = ({ remoteTaskId, remoteContextId }: Dispatch): KnownTask | null =>
  remoteTaskId === null ? null : { taskId: remoteTaskId, contextId: remoteContextId };

/**
 * Gets the saved task of the peer and writes down what it shows. It only ever looks: nothing is sent that is work.
 *
 * @throws NuncioError of the peer or the way there, noted as a failed contact
 */
export async function lookAtRemote(
  desk: PeerDesk,
  dispatch: Dispatch,
  known: KnownTask,
  signal?: AbortSignal,
): Promise<{ dispatch: Dispatch; task: RemoteTask }> {
  const { store, registry, clock } = desk;
  const { tenant, taskId } = dispatch;
  try {
    const { pin } = requirePinned(registry, dispatch.peer);
    const client = await desk.open(pin, signal);
    const task = await client.get(known, { signal, historyLength: 0 });
    const ended = hasEnded(task.state);
    const fact = { type: "remote", state: task.state, ended, result: ended ? resultOfTask(task) : null } as const;
    return { dispatch: (await store.note({ tenant, taskId, fact, now: clock.now() })).dispatch, task };
  } catch (error) {
    if (signal?.aborted !== true && isOfPeer(error)) {
      const fact = { type: "contact_failed", error: storable(error) } as const;
      await store.note({ tenant, taskId, fact, now: clock.now() });
    }
    throw error;
  }
}

/** Not of our own ledger, and no fault of ours. */
const isOfPeer = (error: unknown): boolean => NuncioError.is(error) && error.code !== "lease_lost";

/** In a column of text there is no NUL, and no half of a surrogate pair. */
export const storable = (error: unknown): string => Buffer.from(messageOf(error).replaceAll("\0", "\ufffd")).toString();
