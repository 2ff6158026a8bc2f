import type { ControlClient } from "../client/control-client.js";
import type { TaskDetail } from "../http/control/schema/task.js";
import type { Cli } from "./cli.js";
import { EXIT, type ExitCode } from "./exit-code.js";
import { artifactsText, partsText } from "./part-text.js";
import { Progress } from "./progress.js";
import { exitOf } from "./state-text.js";
import { StreamView } from "./stream-view.js";

export interface Waiting {
  /** Shows the tree and the text as they happen; otherwise only the result, when it is there. */
  stream: boolean;
  timeoutMs?: number | undefined;
  /** Number of the last event that is already known. */
  after?: number;
}

/**
 * Follows a task until it has ended, asks something, or time is up, and prints its result. Neither Ctrl-C nor a timeout
 * touches the task: both say how to get back to it.
 */
export async function waitFor(cli: Cli, client: ControlClient, id: string, waiting: Waiting): Promise<ExitCode> {
  const { out } = cli;
  const interrupted = cli.interruption();
  const timedOut = waiting.timeoutMs === undefined ? undefined : AbortSignal.timeout(waiting.timeoutMs);
  const signal = timedOut === undefined ? interrupted : AbortSignal.any([interrupted, timedOut]);
  const view = waiting.stream && !out.json ? new StreamView(out) : new Progress(out);
  try {
    for await (const line of client.follow(id, { after: waiting.after ?? 0, signal })) view.show(line);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    view.end();
  }
  if (interrupted.aborted) {
    out.note(`task ${id} goes on without you`);
    out.next(`nuncio task watch ${id}`, "to get back to it");
    return EXIT.interrupted;
  }
  const task = await client.task(id);
  out.result(task, () => (waiting.stream ? "" : resultText(task)));
  const exit = exitOf(task);
  if (exit === EXIT.failed && !waiting.stream) out.note(reasonText(task));
  if (exit === null && timedOut?.aborted === true) {
    out.note(`not done after ${waiting.timeoutMs} ms; the task goes on. ${task.why ?? ""}`);
    out.next(`nuncio task watch ${id}`, "to follow it");
    return EXIT.timedOut;
  }
  const ofPeer = task.persona.startsWith("peer:");
  if (exit === null && ofPeer) out.next(`nuncio a2a inspect ${id}`, "to see the question, and how it is answered");
  if (exit === null && !ofPeer) out.next(`nuncio task answer ${id} "…"`, "to answer, then it goes on");
  if (exit === EXIT.failed) out.next(`nuncio ${ofPeer ? "a2a inspect" : "task show"} ${id}`, "to see what happened");
  return exit ?? EXIT.done;
}

/** What the task made, or what it says where it made nothing. */
function resultText(task: TaskDetail): string {
  if (task.state !== "completed" && task.state !== "waiting") return artifactsText(task.artifacts);
  if (task.artifacts.length > 0 && task.state === "completed") return artifactsText(task.artifacts);
  return task.statusMessage === null ? "" : partsText(task.statusMessage);
}

function reasonText(task: TaskDetail): string {
  const reason = task.statusMessage === null ? "" : `: ${partsText(task.statusMessage)}`;
  return `${task.persona} ${task.state}${reason}`;
}
