import { setTimeout as sleep } from "node:timers/promises";
import type { Updates } from "../../a2a/client/agent-client.js";
import {
  hasEnded,
  isSettled,
  type RemoteAnswer,
  type RemoteTask,
  type RemoteUpdate,
} from "../../a2a/client/remote-task.js";
import type { Outgoing } from "../../a2a/client/versions/spelling.js";
import { NuncioError } from "../../shared/errors.js";
import { Hold } from "./hold.js";
import type { Way } from "./reach-agent.js";

/** Within this time an agent says whether it has taken a message up, at least and at most, ms. */
const ACCEPT_MS = { least: 10_000, most: 60_000 };
const FIRST_LOOK_MS = 250;
/** A look at a task. */
const LOOK_MS = 15_000;

export type Delivered =
  | { type: "answer"; answer: RemoteAnswer }
  /** It has begun a task, which goes on. */
  | { type: "going"; ids: TaskIds }
  | { type: "refused" | "unknown"; error: unknown; ids?: TaskIds };

export interface TaskIds {
  taskId: string;
  contextId: string | null;
}

export interface Delivery {
  way: Way;
  outgoing: Outgoing;
  timeoutMs: number;
  /** How long the answer is waited for when the agent has taken the message up. */
  inlineMs: number;
  signal: AbortSignal;
  /** Makes durable whom to ask. Before that the message must not be taken for delivered. */
  onAccepted(ids: TaskIds): Promise<void>;
}

/**
 * Sends a message, once, and waits a little. Rejects only when the run is told to stop, or `onAccepted` does; a lost
 * connection is an outcome.
 */
export async function deliver(delivery: Delivery): Promise<Delivered> {
  const { way, outgoing, timeoutMs, signal } = delivery;
  const hold = new Hold(signal);
  hold.atMost(Math.min(Math.max(timeoutMs, ACCEPT_MS.least), ACCEPT_MS.most), notTaken());
  try {
    if (way.streaming) {
      const sent = await way.client.stream(outgoing, { signal: hold.signal });
      signal.throwIfAborted();
      if (sent.outcome === "accepted") return await followed(sent.value, delivery, hold);
      return missed(sent, way);
    }
    const sent = await way.client.send(outgoing, { signal: hold.signal });
    signal.throwIfAborted();
    if (sent.outcome !== "accepted") return missed(sent, way);
    const answer = sent.value;
    if (answer.type === "message") return { type: "answer", answer };
    await delivery.onAccepted({ taskId: answer.task.id, contextId: answer.task.contextId });
    // What is answered may be shown as it asked, before it goes on.
    const stale = outgoing.taskId !== undefined && !hasEnded(answer.task.state);
    if (isSettled(answer.task.state) && !stale) return { type: "answer", answer };
    return await lookedAt(answer.task, delivery);
  } finally {
    hold.end();
  }
}

async function followed(updates: Updates, delivery: Delivery, hold: Hold): Promise<Delivered> {
  const { UpdateFold } = await import("../../a2a/client/fold-updates.js");
  const fold = new UpdateFold();
  let ids: TaskIds | undefined;
  try {
    for (;;) {
      let next: IteratorResult<RemoteUpdate, void>;
      try {
        next = await updates.next();
        if (next.done !== true) fold.apply(next.value);
      } catch (error) {
        delivery.signal.throwIfAborted();
        // That a stream ends says nothing of its task, nor that we have waited for long enough.
        return ids === undefined ? { type: "unknown", error } : { type: "going", ids };
      }
      if (next.done === true) break;
      if (ids !== undefined || next.value.type === "message") continue;
      const update = next.value;
      ids = update.type === "task" ? { taskId: update.task.id, contextId: update.task.contextId } : idsOf(update);
      await delivery.onAccepted(ids);
      hold.atMost(Math.min(delivery.inlineMs, delivery.timeoutMs), waitedInline);
    }
  } finally {
    await updates.return();
  }
  const { answer } = fold;
  return answer === null ? { type: "unknown", error: notTaken() } : { type: "answer", answer };
}

const idsOf = ({ taskId, contextId }: TaskIds): TaskIds => ({ taskId, contextId });

async function lookedAt(
  { id: taskId, contextId }: RemoteTask,
  { way, timeoutMs, inlineMs, signal }: Delivery,
): Promise<Delivered> {
  const ids = { taskId, contextId };
  let left = Math.min(inlineMs, timeoutMs);
  for (let wait = FIRST_LOOK_MS; wait <= left; left -= wait, wait *= 2) {
    await sleep(wait, undefined, { signal }).catch(() => signal.throwIfAborted());
    const looked = await look(way, ids, signal);
    if (looked.type !== "going") return looked;
  }
  return { type: "going", ids };
}

/** Looks at a task that an agent has begun, once. Rejects only when the run is told to stop. */
export async function look(way: Way, ids: TaskIds, signal: AbortSignal): Promise<Delivered> {
  const hold = new Hold(signal);
  hold.atMost(LOOK_MS, waitedInline);
  try {
    const task = await way.client.get(ids.taskId, { signal: hold.signal, historyLength: 0 });
    if (task.id !== ids.taskId) return { type: "unknown", error: otherTask(), ids };
    return isSettled(task.state) ? { type: "answer", answer: { type: "task", task } } : { type: "going", ids };
  } catch (error) {
    signal.throwIfAborted();
    if (error === waitedInline || (NuncioError.is(error) && (error.retryable || error.code === "unavailable"))) {
      return { type: "going", ids };
    }
    if (NuncioError.is(error, "unauthenticated")) way.refused();
    return { type: "unknown", error, ids };
  } finally {
    hold.end();
  }
}

function missed({ outcome, error }: { outcome: "refused" | "unknown"; error: unknown }, way: Way): Delivered {
  if (outcome === "refused" && NuncioError.is(error, "unauthenticated")) way.refused();
  return { type: outcome, error };
}

const waitedInline = new Error("waited for long enough with a slot in hand");

const notTaken = (): NuncioError =>
  new NuncioError("unavailable", "the agent has not said in time whether it has taken the message up", {
    reason: "NO_ACCEPTANCE",
  });

const otherTask = (): NuncioError =>
  new NuncioError("failed_precondition", "the agent tells of another task than it was asked for", {
    reason: "OTHER_TASK",
  });
