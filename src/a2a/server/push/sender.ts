import { NuncioError } from "../../../shared/errors.js";
import type { PushKey } from "../../../tasks/push-ledger.js";
import type { Entry } from "./entry.js";
import { ReadyQueue } from "./ready-queue.js";
import { Remembered, taskKey } from "./remembered.js";
import { type Ended, Turn, type TurnDeps } from "./turn.js";

export interface PushSenderOptions extends TurnDeps {
  /** No other process sends from this ledger. */
  alone: boolean;
  /** Receivers that are told at the same time. */
  concurrency: number;
  onError(error: unknown, facts: { doing: string; taskId?: string }): void;
}

const PAGE = 500;
/** Pages that one look for what others have left reads; the next one goes on behind them. */
const PAGES_A_LOOK = 10;
/** What was due for so long has nobody who sees to it. */
const OVERDUE_MS = 3000;
/** After an error of ours, such as a database that is gone. */
const TROUBLE_MS = 5000;

/**
 * Tells receivers of push notifications of their tasks. It hears of every commit, knows which tasks somebody wants to be
 * told of, and gives each receiver its turn. What it knows is a shortcut: everything is in the ledger, from where it begins
 * after a restart.
 */
export class PushSender {
  readonly #options: PushSenderOptions;
  readonly #ready: ReadyQueue;
  readonly #remembered = new Remembered();
  readonly #resting = new Set<Entry>();
  readonly #turns = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  #unsubscribe: readonly (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  #started = false;
  /** Tasks that have changed while a page of those that wait was read: it may tell of them as they were before. */
  #heard: Set<string> | undefined;
  /** The next look goes on here. */
  #lookFrom: PushKey | null = null;
  #looking = false;
  /** Some that wait are not remembered. */
  #overflows = false;

  constructor(options: PushSenderOptions) {
    this.#options = options;
    this.#ready = new ReadyQueue(options);
  }

  /** Receivers that are told something now. */
  get running(): number {
    return this.#ready.running;
  }

  /** Begins with what is due already; does not wait for it. */
  start(): void {
    const { ledger } = this.#options;
    this.#started = true;
    this.#unsubscribe = [
      ledger.onChange(({ tenant, taskId }) => {
        const task = taskKey(tenant, taskId);
        this.#heard?.add(task);
        for (const entry of this.#remembered.ofTask(task)) this.#wake(entry);
      }),
      ledger.onPush((key) => this.#onPush(key)),
      ledger.onMissed(() => void this.#lookForOverdue()),
    ];
    void this.#fill();
  }

  /** Takes up nothing more; what is being told gets `ms`, and is told again after a restart when that was not enough. */
  async stop(ms: number): Promise<void> {
    if (!this.#started) return;
    this.#started = false;
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    clearTimeout(this.#timer);
    const abort = setTimeout(() => this.#stopping.abort(), ms);
    await Promise.all(this.#turns);
    clearTimeout(abort);
  }

  async #fill(): Promise<void> {
    try {
      for (let after: PushKey | null = null; this.#started; ) {
        const from: PushKey | null = after;
        const heard = new Set<string>();
        this.#heard = heard;
        const { entries, next } = await this.#options.ledger.system.push.live({ after: from, limit: PAGE });
        for (const live of entries) {
          const entry = this.#remember(live, live.principal, live.origin);
          if (entry !== null && (live.behind || heard.has(taskKey(live.tenant, live.taskId)))) this.#wake(entry);
        }
        if (next === null) return;
        if (this.#remembered.isFull) {
          this.#overflow();
          return;
        }
        after = next;
      }
    } catch (error) {
      this.#options.onError(error, { doing: "looking for push notifications" });
      setTimeout(() => void (this.#started && this.#fill()), TROUBLE_MS).unref();
    } finally {
      this.#heard = undefined;
    }
  }

  /** Made here, or due again because somebody said so. */
  #onPush(key: PushKey): void {
    const known = this.#remembered.find(key);
    if (known !== undefined) {
      // It may have been replaced, and nothing that was found out about it counts any more.
      known.position = null;
      this.#resting.delete(known);
      if (known.state === "resting") known.state = "idle";
      this.#wake(known);
      return;
    }
    const { ledger, onError } = this.#options;
    ledger.system.push.find(key).then(
      (push) => {
        if (push === null || push.state !== "waiting") return;
        const entry = this.#remember(push, push.principal, push.origin);
        if (entry !== null) this.#wake(entry);
      },
      (error) => {
        onError(error, { doing: "looking for a push notification", taskId: key.taskId });
        this.#overflow();
      },
    );
  }

  /** Null when there are too many. */
  #remember(key: PushKey, principal: string, origin: string): Entry | null {
    const entry = this.#remembered.add(key, principal, origin);
    if (entry === null) this.#overflow();
    return entry;
  }

  #wake(entry: Entry): void {
    if (entry.state === "running") entry.again = true;
    if (entry.state !== "idle") return;
    entry.state = "ready";
    this.#ready.add(entry);
    this.#giveTurns();
  }

  #giveTurns(): void {
    while (this.#started) {
      const entry = this.#ready.take();
      if (entry === null) return;
      entry.state = "running";
      entry.again = false;
      const turn = this.#turn(entry).then((ended) => {
        this.#turns.delete(turn);
        this.#ready.done(entry);
        this.#settle(entry, ended);
        this.#giveTurns();
      });
      this.#turns.add(turn);
    }
  }

  async #turn(entry: Entry): Promise<Ended> {
    try {
      return await Turn.run(this.#options, entry, this.#stopping.signal);
    } catch (error) {
      // Of a database that is gone others speak.
      if (!this.#stopping.signal.aborted && !NuncioError.is(error, "unavailable")) {
        this.#options.onError(error, { doing: "sending a push notification", taskId: entry.taskId });
      }
      return { type: "rest", until: this.#options.clock.now() + TROUBLE_MS };
    }
  }

  #settle(entry: Entry, ended: Ended): void {
    entry.state = "idle";
    if (ended.type === "rest") this.#rest(entry, ended.until);
    else if (ended.type === "more" || entry.again) this.#wake(entry);
    else if (ended.type === "over") this.#remembered.delete(entry);
  }

  #rest(entry: Entry, until: number): void {
    entry.state = "resting";
    entry.dueAt = until;
    this.#resting.add(entry);
    this.#setTimer(until);
  }

  /** One timer for all of them. */
  #setTimer(at: number): void {
    if (!this.#started || at >= this.#timerAt) return;
    clearTimeout(this.#timer);
    this.#timerAt = at;
    const wait = Math.min(Math.max(at - this.#options.clock.now(), 10), 60_000);
    this.#timer = setTimeout(() => this.#onTimer(), wait);
  }

  #onTimer(): void {
    this.#timerAt = Number.POSITIVE_INFINITY;
    const now = this.#options.clock.now();
    let next = Number.POSITIVE_INFINITY;
    for (const entry of this.#resting) {
      if (entry.dueAt > now) next = Math.min(next, entry.dueAt);
      else {
        this.#resting.delete(entry);
        entry.state = "idle";
        this.#wake(entry);
      }
    }
    if (next !== Number.POSITIVE_INFINITY) this.#setTimer(next);
  }

  #overflow(): void {
    if (this.#overflows) return;
    this.#overflows = true;
    // On several nodes somebody looks anyway.
    if (this.#options.alone) this.#lookAgain();
  }

  #lookAgain(): void {
    const timer = setTimeout(() => {
      if (this.#started) void this.#lookForOverdue().finally(() => this.#lookAgain());
    }, TROUBLE_MS);
    timer.unref();
  }

  /** What another node was to see to and did not, and what could not be remembered. */
  async #lookForOverdue(): Promise<void> {
    if (this.#looking || !this.#started) return;
    this.#looking = true;
    const { ledger, clock } = this.#options;
    try {
      for (let page = 0; page < PAGES_A_LOOK && this.#started; page++) {
        const { entries, next } = await ledger.system.push.live({ after: this.#lookFrom, limit: PAGE });
        const now = clock.now();
        for (const live of entries) {
          const free = live.leasedUntil === null || live.leasedUntil <= now;
          if (!live.behind || !free || live.nextAt > now - OVERDUE_MS) continue;
          const entry = this.#remember(live, live.principal, live.origin);
          if (entry !== null) this.#wake(entry);
        }
        this.#lookFrom = next;
        if (next === null) return;
      }
    } catch {
      // The database is gone: this comes again.
    } finally {
      this.#looking = false;
    }
  }
}
