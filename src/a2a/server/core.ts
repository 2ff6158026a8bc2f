import type { Persona } from "../../personas/persona.js";
import type { Clock } from "../../shared/clock.js";
import type { Ending } from "../../shared/ending.js";
import { NuncioError } from "../../shared/errors.js";
import { newId } from "../../shared/ids.js";
import { applyEvent, emptyFold, snapshotOf } from "../../tasks/fold.js";
import { isSettled, type TaskFollowers } from "../../tasks/follow.js";
import type { TaskLedger } from "../../tasks/ledger.js";
import type { Message } from "../../tasks/message.js";
import type { NewPush } from "../../tasks/push-ledger.js";
import type { Task, TaskSnapshot } from "../../tasks/task.js";
import type { TaskEvent } from "../../tasks/task-event.js";
import type { TaskService } from "../../tasks/task-service.js";
import { isTerminal } from "../../tasks/task-state.js";
import type { ListRequest, PushWish, SendRequest } from "../protocol/requests.js";
import type { TaskListPage } from "../protocol/v1/lists.js";
import type { Caller } from "./caller.js";
import { findSnapshot, findTask } from "./find-task.js";
import { listTasks } from "./list-tasks.js";
import type { PushDesk } from "./push/push-desk.js";
import { answer, submit } from "./submission.js";

export interface CoreDeps {
  ledger: TaskLedger;
  tasks: TaskService;
  followers: TaskFollowers;
  pushes: PushDesk;
  clock: Clock;
  /** Whether the persona answers this first message with a bare Message: no task is then seen on the wire. */
  answersWithMessage(persona: Persona, message: Message): boolean;
}

export type Sent =
  /** `unlisted`: the work goes on, and if it comes to a Message, no list will know the task; to be said with `enlist`. */
  { type: "task"; task: TaskSnapshot; unlisted?: boolean } | { type: "message"; message: Message; contextId: string };

/** The operations, whoever stands behind them. */
export type Core = Pick<A2aCore, keyof A2aCore>;

/** A task as it stood, and its events after that. */
export interface Followed {
  task: TaskSnapshot;
  /** Ends when the task is settled. */
  events: AsyncIterable<TaskEvent[]>;
}

/**
 * The operations of A2A over the ledger, for every binding and version. What is asked has been checked; errors are
 * `NuncioError`s that the table of the binding translates. A signal ends the waiting of a caller, never the work.
 */
export class A2aCore {
  readonly #deps: CoreDeps;

  constructor(deps: CoreDeps) {
    this.#deps = deps;
  }

  /** @param waiting how long a blocking call may wait; the answer is then the task as it stands */
  async sendMessage(caller: Caller, request: SendRequest, waiting: Ending): Promise<Sent> {
    if (this.#isBare(caller, request)) return this.#sendForMessage(caller, request, waiting);
    const task = await this.#hand(caller, request, request.blocking);
    if (!request.blocking) return { type: "task", task };
    return { type: "task", task: await this.#deps.followers.untilSettled(task, waiting) };
  }

  /** As `sendMessage`, but the answer is followed; a bare Message comes alone. */
  async streamMessage(
    caller: Caller,
    request: SendRequest,
    closed: Ending,
  ): Promise<Followed | Extract<Sent, { type: "message" }>> {
    refuseWithoutStreaming(caller.persona);
    if (this.#isBare(caller, request)) {
      const sent = await this.#sendForMessage(caller, request, closed);
      return sent.type === "message" ? sent : this.#follow(sent.task, closed);
    }
    return this.#follow(await this.#hand(caller, request, false), closed);
  }

  getTask(caller: Caller, taskId: string): Promise<TaskSnapshot> {
    return findSnapshot(this.#deps.ledger, caller, taskId, "task:read");
  }

  listTasks(caller: Caller, request: ListRequest): Promise<TaskListPage> {
    return listTasks(this.#deps.ledger, caller, request, this.#deps.clock.now());
  }

  /** The caller that waited for a Message is shown its task instead. */
  async enlist({ tenant, id }: Task): Promise<void> {
    await this.#deps.ledger.forTenant(tenant).enlist({ taskId: id, now: this.#deps.clock.now() });
  }

  async cancelTask(caller: Caller, taskId: string): Promise<TaskSnapshot> {
    const { tenant } = await findTask(this.#deps.ledger, caller, taskId, "task:change");
    try {
      await this.#deps.tasks.cancel({ tenant, taskId, reason: "canceled by the caller" });
    } catch (error) {
      throw NuncioError.is(error, "failed_precondition") ? notCancelable(taskId, error) : error;
    }
    return this.getTask(caller, taskId);
  }

  /** @param lastSeen number of the last event that the caller has seen, to go on from there */
  async subscribe(caller: Caller, taskId: string, lastSeen: number | undefined, closed: Ending): Promise<Followed> {
    refuseWithoutStreaming(caller.persona);
    const now = await this.getTask(caller, taskId);
    if (lastSeen === undefined) {
      if (isTerminal(now.state)) throw nothingToFollow(now);
      return this.#follow(now, closed);
    }
    if (lastSeen >= now.seq) return this.#follow(now, closed);
    // Event 1 is the message that made the task: there is no task before it.
    const then = await findSnapshot(this.#deps.ledger, caller, taskId, "task:read", Math.max(lastSeen, 1));
    // Where that has been compacted it is the task as it stands, and nothing follows.
    return this.#follow(then, closed, then.seq < now.seq || !isSettled(then));
  }

  /**
   * @param waits nothing is answered before the task has ended
   * @param bare the answer will be a Message
   */
  async #hand(caller: Caller, request: SendRequest, waits: boolean, bare = false): Promise<TaskSnapshot> {
    if (request.taskId === undefined) {
      const wish = request.push;
      const push = wish === undefined ? undefined : await this.#pushForNewTask(caller, wish, bare);
      const { task, created, ended } = await submit(this.#deps.tasks, caller, request, waits, bare, push);
      if (ended !== undefined) return ended;
      return created && task.seq === 1 ? justSubmitted(task, request.message) : this.#current(task);
    }
    return this.#current((await answer(this.#deps, caller, request.taskId, request)).task);
  }

  /** It is sealed for the one task, whose id must be known before. */
  async #pushForNewTask({ persona }: Caller, wish: PushWish, bare: boolean): Promise<{ id: string; push: NewPush }> {
    const id = newId();
    return { id, push: await this.#deps.pushes.accept({ tenant: persona.tenant, taskId: id }, wish, bare) };
  }

  #isBare({ persona }: Caller, request: SendRequest): boolean {
    return request.taskId === undefined && this.#deps.answersWithMessage(persona, request.message);
  }

  /** The work is a task like any other; only its caller is not shown it, unless it ends otherwise than by a message. */
  async #sendForMessage(caller: Caller, request: SendRequest, waiting: Ending): Promise<Sent> {
    const task = await this.#deps.followers.untilSettled(await this.#hand(caller, request, true, true), waiting);
    if (!isSettled(task)) return { type: "task", task, unlisted: true };
    if (task.state !== "completed" || task.statusMessage === null) return { type: "task", task };
    return { type: "message", message: task.statusMessage, contextId: task.contextId };
  }

  /** @param more whether events after the snapshot exist, or are to come */
  #follow(task: TaskSnapshot, closed: Ending, more = !isSettled(task)): Followed {
    const { followers } = this.#deps;
    return { task, events: more ? followers.events(task.tenant, task.id, task.seq, closed) : NO_EVENTS };
  }

  async #current(task: Task): Promise<TaskSnapshot> {
    const snapshot = await this.#deps.ledger.forTenant(task.tenant).snapshot(task.id);
    if (snapshot === null) throw new Error(`task ${task.id} was submitted and is not there`);
    return snapshot;
  }
}

const NO_EVENTS: AsyncIterable<TaskEvent[]> = (async function* () {})();

/** A task whose only event is the message that made it is known without reading it back. */
function justSubmitted(task: Task, message: Message): TaskSnapshot {
  const folded = emptyFold();
  applyEvent(folded, { type: "message", message, seq: 1, at: task.createdAt });
  return snapshotOf(task, { ...folded, state: task.state });
}

function refuseWithoutStreaming(persona: Persona): void {
  if (persona.streaming) return;
  throw new NuncioError("unsupported", "this agent does not stream", {
    reason: "UNSUPPORTED_OPERATION",
    hint: "send the message without a stream, or poll the task",
  });
}

const nothingToFollow = (task: TaskSnapshot): NuncioError =>
  new NuncioError("failed_precondition", `the task has ended: it is ${task.state}`, {
    reason: "UNSUPPORTED_OPERATION",
    hint: "get the task, or send Last-Event-ID to replay its events",
    details: { taskId: task.id },
  });

const notCancelable = (taskId: string, refusal: NuncioError): NuncioError =>
  new NuncioError("failed_precondition", refusal.message, {
    reason: "TASK_NOT_CANCELABLE",
    details: { taskId },
    ...(refusal.hint === undefined ? {} : { hint: refusal.hint }),
  });
