import { setTimeout as sleep } from "node:timers/promises";
import { NuncioError } from "../../shared/errors.js";
import type { AgentClient, Updates } from "./agent-client.js";
import { isSettled, type RemoteTask, type RemoteUpdate } from "./remote-task.js";

const FIRST_POLL_MS = 250;
const MAX_POLL_MS = 5000;
/** Looks that fail one after another, before we give up. */
const MAX_FAILURES = 5;

/**
 * Follows a task that was taken up until it is settled, by its stream if there is one; where that breaks, or there is
 * none, by looking at the task again and again. It only ever looks: nothing is sent.
 */
export async function* untilSettled(
  client: AgentClient,
  begun: { updates: Updates } | { task: RemoteTask },
  signal?: AbortSignal,
): AsyncGenerator<RemoteUpdate, void> {
  let taskId: string | null = null;
  if ("updates" in begun) {
    try {
      for await (const update of begun.updates) {
        taskId ??= update.type === "task" ? update.task.id : update.taskId;
        yield update;
      }
      return;
    } catch (error) {
      if (signal?.aborted || taskId === null || !isTransient(error)) throw error;
    }
  } else {
    yield { type: "task", task: begun.task };
    if (isSettled(begun.task.state)) return;
    taskId = begun.task.id;
  }
  yield* polled(client, taskId, signal);
}

async function* polled(
  client: AgentClient,
  taskId: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<RemoteUpdate> {
  let failures = 0;
  for (let wait = FIRST_POLL_MS; ; wait = Math.min(wait * 2, MAX_POLL_MS)) {
    await sleep(wait, undefined, signal === undefined ? {} : { signal });
    try {
      const task = await client.get(taskId, { signal });
      failures = 0;
      if (!isSettled(task.state)) continue;
      yield { type: "task", task };
      return;
    } catch (error) {
      failures += 1;
      if (signal?.aborted || failures >= MAX_FAILURES || !isTransient(error)) throw error;
    }
  }
}

/** The way there, or the agent, may be well again later. */
const isTransient = (error: unknown): boolean =>
  NuncioError.is(error) && (error.retryable || error.code === "unavailable");
