import type { TaskSnapshot } from "../../../tasks/task.js";
import type { TaskEvent } from "../../../tasks/task-event.js";
import { isTerminal } from "../../../tasks/task-state.js";
import { CODECS, type VisibleUpdate } from "../../protocol/codec.js";
import type { ProtocolVersion } from "../../protocol/version.js";
import { Updates } from "../updates.js";
import type { Notification } from "./post.js";

/** Something that a receiver is to be told of. */
export interface News {
  /** Number of its event. */
  seq: number;
  /** Null for the task as it stood then. */
  update: VisibleUpdate | null;
}

/**
 * What one receiver is told of its task: of what those are told who follow its stream. 1.0 gets what a stream would bring
 * (4.3.3), 0.3 the task as it stood at each change of its status (9.5), and whoever was answered by a Message that
 * Message. It keeps no copy of the task.
 */
export class Narration {
  readonly #version: ProtocolVersion;
  readonly #bare: boolean;
  readonly #ids: { id: string; contextId: string };
  readonly #updates: Updates;
  #seq: number;
  /** The event at which it began. */
  readonly beginsAt: number;

  /** @param seen the task as it stood when it was last told of; or later, where that is not known any more */
  constructor(version: ProtocolVersion, bare: boolean, seen: TaskSnapshot) {
    this.#version = version;
    this.#bare = bare;
    this.#ids = { id: seen.id, contextId: seen.contextId };
    this.#updates = new Updates(seen);
    this.#seq = seen.seq;
    this.beginsAt = seen.seq;
  }

  /** Number of the last event that has been read. */
  get seq(): number {
    return this.#seq;
  }

  /** Reads the events that follow on the last ones. */
  read(events: readonly TaskEvent[]): News[] {
    this.#seq = events.at(-1)?.seq ?? this.#seq;
    const news: News[] = [];
    for (const update of this.#updates.of(events)) {
      const { seq, type } = update.event;
      if (this.#bare) {
        if (isTerminal(update.facts.state)) news.push({ seq, update: null });
      } else if (this.#version === "1.0") news.push({ seq, update });
      else if (type === "status") news.push({ seq, update: null });
    }
    return news;
  }

  /** @param taskAt the task as it stood at an event, or later where that is not known any more; null when it is gone */
  async write(
    { seq, update }: News,
    taskAt: (seq: number) => Promise<TaskSnapshot | null>,
  ): Promise<Notification | null> {
    const codec = CODECS[this.#version];
    if (update !== null) return { seq, body: codec.streamedUpdate(this.#ids, update) };
    const task = await taskAt(seq);
    if (task === null) return null;
    this.#seq = Math.max(this.#seq, task.seq);
    const said = this.#bare && task.state === "completed" ? task.statusMessage : null;
    const body = said === null ? codec.streamedTask(task) : codec.streamedMessage(said, task.contextId);
    return { seq: task.seq, body };
  }
}
