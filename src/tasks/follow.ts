import type { Ending } from "../shared/ending.js";
import { NuncioError } from "../shared/errors.js";
import { applyEvent } from "./fold.js";
import type { TaskKey, TaskLedger } from "./ledger.js";
import type { TaskSnapshot } from "./task.js";
import type { TaskEvent } from "./task-event.js";
import { isTerminal, type TaskState, type WaitReason } from "./task-state.js";

/** The task has ended, or waits for its caller: blocking calls return and streams close here. */
export const isSettled = (task: { state: TaskState; waitingFor: WaitReason | null }): boolean =>
  isTerminal(task.state) || (task.state === "waiting" && (task.waitingFor === "input" || task.waitingFor === "auth"));

/**
 * Calls listeners with the changes of single tasks. One subscription to the ledger serves any number of followers, so
 * that a commit costs a map look-up, not a walk over all streams.
 */
export class TaskFollowers {
  readonly #followed = new Map<string, Followed>();
  readonly #ledger: TaskLedger;
  readonly #unsubscribe: readonly (() => void)[];

  constructor(ledger: TaskLedger) {
    this.#ledger = ledger;
    this.#unsubscribe = [
      ledger.onChange((change) => {
        const followed = this.#followed.get(key(change.tenant, change.taskId));
        if (followed !== undefined) tell(followed, change.seq, change.events);
      }),
      ledger.onMissed(() => void this.#lookAgain()),
    ];
  }

  /** How many listeners there are: zero when nobody follows anything. */
  get size(): number {
    let size = 0;
    for (const { listeners } of this.#followed.values()) size += listeners.size;
    return size;
  }

  close(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }

  #listen(tenant: string, taskId: string, listener: Listener): () => void {
    const id = key(tenant, taskId);
    const followed = this.#followed.get(id) ?? { tenant, taskId, listeners: new Set(), seq: 0 };
    followed.listeners.add(listener);
    this.#followed.set(id, followed);
    return () => {
      followed.listeners.delete(listener);
      if (followed.listeners.size === 0 && this.#followed.get(id) === followed) this.#followed.delete(id);
    };
  }

  /** News of other nodes may have been missed: whoever follows a task that has moved on is told to read. */
  async #lookAgain(): Promise<void> {
    if (this.#followed.size === 0) return;
    try {
      const before = [...this.#followed.values()];
      const standing = await this.#ledger.system.standing(before);
      const seqOf = new Map(standing.map(({ tenant, taskId, seq }) => [key(tenant, taskId), seq]));
      for (const followed of before) {
        const seq = seqOf.get(key(followed.tenant, followed.taskId));
        // One that does not stand anywhere has been purged.
        if (seq === undefined || seq > followed.seq) tell(followed, seq ?? followed.seq, undefined);
      }
    } catch {
      // The database is gone: this comes again.
    }
  }

  /**
   * The events of a task with a number above `after`: those that exist, then those to come, each once and in order.
   * Ends after the event that settles the task, when it is purged, or when `signal` aborts. The task itself is never
   * touched. Fails when events that it has not come to yet are compacted.
   *
   * Listening starts before the first read, so that nothing can fall between the two; events that come twice are
   * known by their numbers.
   *
   * @param maybeGone the task may have been purged already; else that is only looked at when something has been announced
   */
  async *events(
    tenant: string,
    taskId: string,
    after: number,
    signal: Ending,
    maybeGone = false,
  ): AsyncGenerator<TaskEvent[], void> {
    let seen = after;
    let pending: TaskEvent[] = [];
    let behind = true;
    /** By the events that have been passed on. */
    let settled = false;
    let ring: () => void = () => {};
    const stop = this.#listen(tenant, taskId, (events) => {
      if (events === undefined || pending.length > PENDING) {
        // A slow reader is read for again later: what it has not taken is not kept.
        behind = true;
        maybeGone = true;
        pending = [];
      } else if (!behind) pending.push(...events);
      ring();
    });
    const abort = () => ring();
    signal.addEventListener("abort", abort);
    try {
      while (!signal.aborted) {
        const rung = new Promise<void>((resolve) => {
          ring = resolve;
        });
        let batch = pending.filter((event) => event.seq > seen);
        pending = [];
        // Commits of several connections may be announced in another order than they were made.
        if (behind || batch.some((event, index) => event.seq !== seen + 1 + index)) {
          behind = false;
          batch = await this.#ledger.forTenant(tenant).events(taskId, seen);
          if (batch.some((event, index) => event.seq !== seen + 1 + index)) throw compactedMeanwhile(taskId);
          if (batch.length === 1000) behind = true;
          if (batch.length === 0 && maybeGone && (await this.#ledger.forTenant(tenant).task(taskId)) === null) return;
        }
        const last = batch.at(-1);
        if (last !== undefined) {
          seen = last.seq;
          yield batch;
          // A later event of the same batch may have woken the task again.
          const standing = batch.findLast((event) => event.type === "status");
          if (standing !== undefined) settled = endsFollowing(standing);
          if (settled && !behind) return;
          continue;
        }
        // What was announced while the last batch was taken was in it already.
        if (settled && !behind) return;
        if (pending.length === 0 && !behind && !signal.aborted) await rung;
      }
    } finally {
      stop();
      signal.removeEventListener("abort", abort);
    }
  }

  /**
   * Follows `snapshot` until the task is settled or `signal` aborts; answers with the task as it then stands.
   *
   * Most tasks that somebody blocks on end a moment after they were submitted: their events arrive here with the
   * commit that makes them, and nothing is read. What was missed shows as a gap, or as silence, and is then read.
   */
  untilSettled(snapshot: TaskSnapshot, signal: Ending): Promise<TaskSnapshot> {
    if (isSettled(snapshot) || signal.aborted) return Promise.resolve(snapshot);
    const current = { ...snapshot, history: [...snapshot.history], artifacts: structuredClone(snapshot.artifacts) };
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        stop();
        clearTimeout(silence);
        signal.removeEventListener("abort", aborted);
      };
      const aborted = () => {
        leave();
        resolve(current);
      };
      const readOn = () => {
        leave();
        this.#readUntilSettled(current, signal).then(resolve, reject);
      };
      const stop = this.#listen(snapshot.tenant, snapshot.id, (events) => {
        if (events === undefined) return readOn();
        for (const event of events) {
          if (event.seq > current.seq + 1) return readOn();
          if (event.seq === current.seq + 1) applyEvent(current, event);
        }
        if (isSettled(current)) aborted();
      });
      const silence = setTimeout(readOn, SILENCE_MS);
      signal.addEventListener("abort", aborted);
    });
  }

  async #readUntilSettled(current: TaskSnapshot, signal: Ending): Promise<TaskSnapshot> {
    try {
      for await (const batch of this.events(current.tenant, current.id, current.seq, signal, true)) {
        for (const event of batch) applyEvent(current, event);
      }
      return current;
    } catch (error) {
      if (!NuncioError.is(error) || error.reason !== COMPACTED) throw error;
      return (await this.#ledger.forTenant(current.tenant).snapshot(current.id)) ?? current;
    }
  }
}

/** New events of a task; undefined when there are some that have to be read. */
type Listener = (events: readonly TaskEvent[] | undefined) => void;

interface Followed extends TaskKey {
  readonly listeners: Set<Listener>;
  /** The last event that they were told of. */
  seq: number;
}

function tell(followed: Followed, seq: number, events: readonly TaskEvent[] | undefined): void {
  followed.seq = Math.max(followed.seq, seq);
  for (const listener of [...followed.listeners]) listener(events);
}

const COMPACTED = "EVENTS_COMPACTED";

const compactedMeanwhile = (taskId: string): NuncioError =>
  new NuncioError("unavailable", "the events of the task were compacted while they were read", {
    reason: COMPACTED,
    hint: "get the task: it has all that it made",
    details: { taskId },
  });

/** A follower that has heard nothing for this long reads whether there was something to hear. */
const SILENCE_MS = 100;

/** Events that are kept for one follower until it takes them. */
const PENDING = 1000;

const key = (tenant: string, taskId: string): string => `${tenant}/${taskId}`;

const endsFollowing = (event: TaskEvent): boolean =>
  event.type === "status" && isSettled({ state: event.state, waitingFor: event.waitingFor ?? null });
