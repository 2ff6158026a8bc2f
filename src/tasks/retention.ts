import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../shared/clock.js";
import { NuncioError } from "../shared/errors.js";
import type { TaskKey, TaskLedger } from "./ledger.js";
import { groupsOf, purgeTree } from "./purge.js";
import type { MessageKey, OldTask, Walked } from "./retention-ledger.js";

/** `retention:` of the configuration. */
export interface RetentionDays {
  /** A task from outside goes, with all that was delegated from it, when the last of it has ended for so long. */
  finishedDays: number;
  /** The pieces in which an artifact was streamed go; the artifact stays. */
  eventsDays: number;
  /** The steps that a run has behind it. */
  journalDays: number;
  /** For so long after a purge its message is known, and not done again. */
  idempotencyDays: number;
}

/** Planned tasks that were complete by a time, and of whose runs nothing is left. */
export interface OldPlans {
  /** How many are gone, at most `limit`. */
  purgeOld(command: { completedBy: number; limit: number; now: number }): Promise<number>;
}

export interface RetentionOptions {
  ledger: TaskLedger;
  clock: Clock;
  /** What else is old with finished tasks. */
  plans: OldPlans;
  days: RetentionDays;
  /** Told what a sweep has done, when it has done something. */
  onSwept(swept: Swept): void;
  onError(error: unknown, facts: { doing: string }): void;
  /** For how many times the time that it has worked a sweep pauses. */
  pace?: number;
}

export interface Swept {
  /** Tasks that are gone. */
  purged: number;
  /** Tasks whose streamed pieces are gone. */
  compacted: number;
  journals: number;
  messages: number;
  /** Planned tasks that are gone. */
  plans: number;
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Not while a daemon is busy starting. */
const FIRST_AFTER_MS = 60_000;
/** Rows of one look: about a millisecond. */
const LOOK = 500;
/** Each of these is read with what belongs to it, so that fewer go into one look. */
const SMALL_LOOK = 100;
const PLANS_AT_ONCE = 5;
/** A sweep is in no hurry: it leaves two thirds of the time to others, and more when they keep it waiting. */
const PACE = 2;

/**
 * Takes out of the ledger what is old enough, in small pieces and with pauses, so that nobody else notices. It keeps
 * nothing that has to survive: a sweep that was cut off is made up for by the next. Nodes may sweep at the same time.
 */
export class Retention {
  readonly #options: RetentionOptions;
  readonly #stopping = new AbortController();
  #days: RetentionDays;
  #timer: NodeJS.Timeout | undefined;
  #sweeping: Promise<unknown> | undefined;
  /** When messages are looked through next, which takes a walk over all of them, ms. */
  #messagesAt = 0;

  constructor(options: RetentionOptions) {
    this.#options = options;
    this.#days = options.days;
  }

  /** From the next look on. */
  replaceDays(days: RetentionDays): void {
    this.#days = days;
    this.#messagesAt = 0;
  }

  /** Sweeps a while after the start, then once an hour. */
  start(): void {
    this.#next(FIRST_AFTER_MS);
  }

  /** Resolves when a sweep that is under way has left off. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await this.#sweeping;
  }

  #next(ms: number): void {
    if (this.#stopping.signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#sweeping = this.#sweepSafely().finally(() => this.#next(HOUR_MS));
    }, ms);
    this.#timer.unref();
  }

  async #sweepSafely(): Promise<void> {
    try {
      const swept = await this.sweep();
      if (Object.values(swept).some((count) => count > 0)) this.#options.onSwept(swept);
    } catch (error) {
      this.#options.onError(error, { doing: "removing what is old" });
    }
  }

  /** Goes once through everything that may be old enough. Ends early when it is stopped. */
  async sweep(): Promise<Swept> {
    const now = this.#options.clock.now();
    const swept: Swept = { purged: 0, compacted: 0, journals: 0, messages: 0, plans: 0 };
    await this.#tasks(now, swept);
    await this.#journals(now, swept);
    await this.#messages(now, swept);
    await this.#plans(now, swept);
    return swept;
  }

  async #tasks(now: number, swept: Swept): Promise<void> {
    const { ledger } = this.#options;
    const days = this.#days;
    const finished = now - days.finishedDays * DAY_MS;
    const settled = now - days.eventsDays * DAY_MS;
    const before = Math.max(finished, settled);
    const look = (after: TaskKey | null) => ledger.system.retention.oldTasks({ after, before, limit: LOOK });
    await this.#walk(look, async (tasks) => {
      const endedBy = (time: number) => (task: OldTask) => task.endedAt !== null && task.endedAt <= time;
      const roots = tasks.filter((task) => task.parentId === null && endedBy(finished)(task));
      await this.#each(roots, async ({ tenant, taskId }) => {
        const purged = await purgeTree(ledger, { tenant, rootId: taskId, endedBy: finished, now });
        if (purged.type === "purged") swept.purged += purged.tasks;
      });
      const whole = tasks.filter((task) => !task.compacted && endedBy(settled)(task));
      await this.#each(whole, async (task) => {
        if (await this.#compact(task)) swept.compacted += 1;
      });
    });
  }

  /** False when the task has been purged meanwhile. */
  async #compact({ tenant, taskId }: TaskKey): Promise<boolean> {
    for (;;) {
      const { compacted, more } = await this.#options.ledger.system.retention.compact({ tenant, taskId });
      if (!more) return compacted;
    }
  }

  async #journals(now: number, swept: Swept): Promise<void> {
    const { oldJournals, dropJournal } = this.#options.ledger.system.retention;
    const before = now - this.#days.journalDays * DAY_MS;
    await this.#walk(
      (after: TaskKey | null) => oldJournals({ after, before, limit: SMALL_LOOK }),
      (owners) => {
        const old = owners.filter(({ endedAt }) => endedAt !== null && endedAt <= before);
        return this.#each(old, async ({ tenant, taskId }) => {
          if ((await dropJournal({ tenant, taskId })).dropped) swept.journals += 1;
        });
      },
    );
  }

  async #messages(now: number, swept: Swept): Promise<void> {
    if (now < this.#messagesAt) return;
    const before = now - this.#days.idempotencyDays * DAY_MS;
    await this.#walk(
      async (after: MessageKey | null) => {
        const query = { after, before, limit: SMALL_LOOK };
        const { forgotten, next } = await this.#options.ledger.system.retention.forgetMessages(query);
        swept.messages += forgotten;
        return { entries: [], next };
      },
      async () => {},
    );
    if (!this.#stopping.signal.aborted) this.#messagesAt = now + DAY_MS;
  }

  /** Behind their tasks. A snapshot may be large: a few at a time. */
  async #plans(now: number, swept: Swept): Promise<void> {
    const completedBy = now - this.#days.finishedDays * DAY_MS;
    while (!this.#stopping.signal.aborted) {
      const gone = await this.#paced(() => this.#options.plans.purgeOld({ completedBy, limit: PLANS_AT_ONCE, now }));
      swept.plans += gone;
      if (gone < PLANS_AT_ONCE) return;
    }
  }

  async #walk<Entry, Position>(
    look: (after: Position | null) => Promise<Walked<Entry, Position>>,
    use: (entries: Entry[]) => Promise<void>,
  ): Promise<void> {
    for (let after: Position | null = null; ; ) {
      if (this.#stopping.signal.aborted) return;
      const from: Position | null = after;
      const { entries, next }: Walked<Entry, Position> = await this.#paced(() => look(from));
      await use(entries);
      if (next === null) return;
      after = next;
    }
  }

  /** One that cannot be dealt with, such as a task that a newer version has written to, keeps none of the others back. */
  async #each<Entry>(entries: readonly Entry[], act: (entry: Entry) => Promise<void>): Promise<void> {
    for (const group of groupsOf(entries)) {
      if (this.#stopping.signal.aborted) return;
      await this.#paced(() => Promise.all(group.map((entry) => this.#safely(() => act(entry)))));
    }
  }

  async #safely(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (NuncioError.is(error, "unavailable")) throw error;
      this.#options.onError(error, { doing: "removing what is old" });
    }
  }

  async #paced<T>(work: () => Promise<T>): Promise<T> {
    const began = performance.now();
    const done = await work();
    await sleep((performance.now() - began) * (this.#options.pace ?? PACE));
    return done;
  }
}
