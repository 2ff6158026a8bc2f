import { isSettled } from "../../tasks/follow.js";
import type { TaskSnapshot } from "../../tasks/task.js";
import type { TaskEvent } from "../../tasks/task-event.js";
import type { VisibleUpdate } from "../protocol/codec.js";
import { stateV1 } from "../protocol/states.js";

/**
 * Turns the events of a task into what its caller is told. Messages of the caller are no news to it, and a step that
 * changes nothing it could see (a retry, a wait for a delegated task) is passed over unless something is said.
 */
export class Updates {
  #started: boolean;
  #visible: string;

  /** @param snapshot the task as the caller has seen it */
  constructor(snapshot: TaskSnapshot) {
    this.#started = snapshot.started;
    this.#visible = stateV1(snapshot);
  }

  /** What a batch of events tells, in order. A state that later events of the batch have overtaken is not the last. */
  of(batch: readonly TaskEvent[]): VisibleUpdate[] {
    const updates: VisibleUpdate[] = [];
    for (const event of batch) {
      const update = this.#next(event);
      if (update === null) continue;
      const before = updates.at(-1);
      if (before?.final === true) before.final = false;
      updates.push(update);
    }
    return updates;
  }

  #next(event: TaskEvent): VisibleUpdate | null {
    if (event.type === "message") return null;
    if (event.type === "artifact") {
      return { event, facts: { state: "processing", waitingFor: null, started: true }, final: false };
    }
    if (event.state === "processing") this.#started = true;
    const facts = { state: event.state, waitingFor: event.waitingFor ?? null, started: this.#started };
    const visible = stateV1(facts);
    if (visible === this.#visible && event.message === undefined) return null;
    this.#visible = visible;
    return { event, facts, final: isSettled(facts) };
  }
}
