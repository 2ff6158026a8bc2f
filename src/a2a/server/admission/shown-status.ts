import type { Message } from "../../../tasks/message.js";
import type { TaskSnapshot } from "../../../tasks/task.js";
import type { TaskEvent } from "../../../tasks/task-event.js";
import type { TaskState, WaitReason } from "../../../tasks/task-state.js";

interface Status {
  state: TaskState;
  waitingFor?: WaitReason | null | undefined;
}

/**
 * What a peer hears of how its work stands: what the persona says to it, and not what we say of ourselves. Why something has
 * failed names programs, paths, allowances and the last lines of an error output; why it waits names other personas, their
 * tasks and tools.
 */
function shownMessage({ state, waitingFor }: Status, message: Message): Message | null {
  if (state === "failed") {
    const { messageId, role } = message;
    return { messageId, role, parts: [{ text: "The work has failed. Only the operator of this agent can tell why." }] };
  }
  if (state === "waiting") return waitingFor === "input" || waitingFor === "auth" ? message : null;
  return SAID_BY_PERSONA.has(state) ? message : null;
}

const SAID_BY_PERSONA: ReadonlySet<TaskState> = new Set(["claimed", "processing", "completed", "rejected"]);

export const shownStatus = (task: TaskSnapshot): Pick<TaskSnapshot, "statusMessage"> => ({
  statusMessage: task.statusMessage && shownMessage(task, task.statusMessage),
});

export async function* shownEvents(events: AsyncIterable<TaskEvent[]>): AsyncGenerator<TaskEvent[], void> {
  for await (const batch of events) yield batch.map(shownEvent);
}

function shownEvent(event: TaskEvent): TaskEvent {
  if (event.type !== "status" || event.message === undefined) return event;
  const { message, ...rest } = event;
  const shown = shownMessage(event, message);
  return shown === null ? rest : { ...rest, message: shown };
}
