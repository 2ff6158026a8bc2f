import { backoff } from "../shared/backoff.js";
import type { Clock } from "../shared/clock.js";
import { messageOf, NuncioError } from "../shared/errors.js";
import { agentSays } from "./agent-says.js";
import type { ToolBoxFactory } from "./attempt.js";
import { AttemptRun } from "./attempt-run.js";
import { Bell } from "./bell.js";
import type { Claim, ClaimOffer, Foreseen, Settlement, Submitted, TaskChange, TaskLedger } from "./ledger.js";
import { RunnablePersonas } from "./runnable-personas.js";
import type { NewWork, RunOutcome, TaskRunner } from "./runner.js";
import { type PersonaSlots, type Slot, Slots } from "./slots.js";
import { isTerminal } from "./task-state.js";

export interface WorkerOptions {
  ledger: TaskLedger;
  /** Name of this worker in leases: new for each process. */
  owner: string;
  clock: Clock;
  personas: readonly PersonaSlots[];
  runnerFor(persona: { tenant: string; name: string }): TaskRunner;
  tools: ToolBoxFactory;
  concurrency: number;
  leaseMs: number;
  backoffBaseMs: number;
  backoffMaxMs: number;
  /** No other process can work on this ledger: what others own is taken over at the first tick. */
  alone: boolean;
  onError(error: unknown, facts: { taskId?: string; doing: string }): void;
}

/** What may be changed while the worker works. An attempt ends with what it began with. */
export type WorkerSettings = Pick<
  WorkerOptions,
  "personas" | "runnerFor" | "tools" | "concurrency" | "leaseMs" | "backoffBaseMs" | "backoffMaxMs"
>;

interface Running {
  attempt: AttemptRun;
  done: Promise<void>;
  /** When the lease was last known to hold, in the time of `performance.now()`. */
  heldSince: number;
  /** Another node has ended the task, and is told when the run has stopped. */
  endedElsewhere: boolean;
}

export interface Tick {
  woken: number;
  requeued: number;
  failed: number;
  claimed: number;
  /** When there will be something to do again, ms; infinite when only news can bring it. */
  nextAt: number;
}

/** Work is looked for at least this often, whatever was or was not announced. */
const POLL_MS = 5000;
const BATCH = 500;
/** Lost tasks that are looked up at once: the more, the closer together in the ledger are those that are taken back. */
const LOST_BATCH = 5000;
/** By so much the clocks of two machines, or of one before and after a step, may differ. */
const CLOCK_SKEW_MS = 60_000;
/** A run that is told to stop and takes longer is left to the recovery of the next start, and loses its attempt. */
const HAND_BACK_MS = 5000;

/**
 * Claims tasks, runs them, settles them. All of its state is the list of what runs in this process; what has to survive
 * is in the ledger.
 */
export class Worker {
  #options: WorkerOptions;
  readonly #slots: Slots;
  readonly #running = new Map<string, Running>();
  readonly #runnable: RunnablePersonas;
  readonly #bell = new Bell();
  readonly #unsubscribe: readonly (() => void)[];
  /** When to look for work of workers that are gone, ms. */
  #recoverAt = 0;
  /** Nothing of a former process is left to be taken back. */
  #tookOver = false;
  #extending = false;
  #draining = false;
  /** Until when the loop sleeps unless it is rung, ms; infinite while it is awake. */
  #sleepsUntil = Infinity;
  #loop: Promise<void> | undefined;
  #heartbeat: NodeJS.Timeout | undefined;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#runnable = new RunnablePersonas(options.personas, () => this.#bell.ring());
    this.#slots = new Slots(options.concurrency, options.personas, () => {
      if (this.#runnable.any) this.#bell.ring();
    });
    this.#unsubscribe = [
      options.ledger.onChange((change) => this.#onChange(change)),
      options.ledger.onMissed(() => this.#runnable.lookAgain()),
    ];
  }

  /** Begins to work; returns at once. */
  start(): void {
    this.#loop = this.#work();
    this.#beat();
  }

  #beat(): void {
    clearInterval(this.#heartbeat);
    this.#heartbeat = setInterval(() => void this.#extendLeases(), this.#options.leaseMs / 3);
  }

  /**
   * From the next claim on these hold. What runs is not touched; tasks of a persona that is not among them any more stay
   * in the ledger.
   */
  replaceSettings(settings: WorkerSettings): void {
    this.#options = { ...this.#options, ...settings };
    this.#slots.replace(settings.concurrency, settings.personas);
    this.#runnable.replace(settings.personas);
    if (this.#heartbeat !== undefined) this.#beat();
  }

  async #work(): Promise<void> {
    while (!this.#draining) {
      // While we are awake every deadline is news: this round may have looked for those that are due already.
      this.#sleepsUntil = Infinity;
      const { nextAt } = await this.#tickSafely();
      const now = this.#options.clock.now();
      this.#sleepsUntil = Math.min(nextAt, now + POLL_MS);
      await this.#bell.wait(Math.max(0, this.#sleepsUntil - now));
    }
  }

  /** One round: what is due is woken, what is lost is taken back, what is runnable is claimed and begun. */
  async tick(): Promise<Tick> {
    const { ledger, clock } = this.#options;
    const now = clock.now();
    const recovered = await this.#recover(now);
    const taken = recovered.requeued + recovered.failed;
    const woken = await ledger.system.wakeDue({ now, limit: BATCH });
    const tick: Tick = { ...recovered, woken: woken.woken, claimed: 0, nextAt: woken.nextAt ?? Infinity };
    if (taken === LOST_BATCH || woken.woken === BATCH) tick.nextAt = now;
    if (this.#draining) return tick;

    tick.claimed = await this.#claim(now);
    tick.nextAt = Math.min(tick.nextAt, this.#runnable.nextDueAt);
    return tick;
  }

  /** At the start; then, where other workers may die, from time to time, and else when an attempt was given up. */
  async #recover(now: number): Promise<{ requeued: number; failed: number }> {
    const { ledger, owner, alone, leaseMs } = this.#options;
    if (now < this.#recoverAt) return { requeued: 0, failed: 0 };
    this.#recoverAt = alone ? Infinity : now + leaseMs / 3;
    const running = new Set(this.#running.keys());
    try {
      const recovered = await ledger.system.recover({
        ...{ now, owner, running, limit: LOST_BATCH },
        alone: alone && !this.#tookOver,
      });
      if (recovered.requeued + recovered.failed === LOST_BATCH) this.#recoverAt = 0;
      else this.#tookOver = true;
      return recovered;
    } catch (error) {
      this.#recoverAt = 0;
      throw error;
    }
  }

  /** An attempt has ended and could not say so: its task is taken back when its lease has ended. */
  #giveUp(): void {
    const { clock, leaseMs } = this.#options;
    this.#recoverAt = Math.min(this.#recoverAt, clock.now() + leaseMs + 1);
  }

  async #claim(now: number): Promise<number> {
    const { ledger, owner, leaseMs, backoffMaxMs } = this.#options;
    const asked = this.#runnable.ask(this.#slots, now);
    // Slots are taken before the claim, so that nobody else can promise them meanwhile.
    const slots = new Map<string, Slot[]>();
    const personas = asked.map(({ tenant, name, free }) => {
      const taken: Slot[] = [];
      for (let slot = this.#slots.take(tenant, name); slot !== undefined; slot = this.#slots.take(tenant, name)) {
        taken.push(slot);
        if (taken.length === free) break;
      }
      slots.set(`${tenant}/${name}`, taken);
      return { tenant, name, free: taken.length };
    });
    const limit = personas.reduce((sum, persona) => sum + persona.free, 0);
    try {
      if (limit === 0) {
        this.#runnable.answered({ more: asked, due: [] });
        return 0;
      }
      const latestRunAt = now + backoffMaxMs + CLOCK_SKEW_MS;
      const claimed = await ledger.system.claim({ owner, leaseMs, now, latestRunAt, limit, personas });
      this.#runnable.answered(claimed);
      for (const { taskId, error } of claimed.unreadable) {
        this.#options.onError(error, { taskId, doing: "reading a task" });
      }
      for (const claim of claimed.claims) {
        const slot = slots.get(`${claim.lease.tenant}/${claim.snapshot.persona}`)?.pop();
        if (slot === undefined) throw new Error(`a claim without a slot: ${claim.lease.taskId}`);
        this.#begin(claim, slot);
      }
      return claimed.claims.length;
    } catch (error) {
      this.#runnable.answered({ more: asked, due: [] });
      // What was claimed and not begun is nobody's until its lease has ended.
      this.#giveUp();
      throw error;
    } finally {
      for (const unused of slots.values()) for (const slot of unused) slot.release();
    }
  }

  /**
   * Takes a slot for a task that is about to be submitted. Nothing is offered while older work waits for a slot, so
   * that a new task never overtakes.
   */
  reserve(tenant: string, persona: string, freedBy?: string): Reservation | null {
    if (this.#draining || this.#runnable.any) return null;
    const slot = this.#slots.take(tenant, persona, freedBy);
    if (slot === undefined) return null;
    const { owner, leaseMs } = this.#options;
    return {
      offer: { owner, leaseMs },
      settle: (claim) => {
        if (claim === undefined) slot.release();
        else this.#begin(claim, slot);
      },
    };
  }

  /** What the run of a task that is about to be submitted will come to, where that needs nothing but its message. */
  foresee(work: NewWork): Foreseen | undefined {
    const { tenant, persona: name } = work;
    try {
      return this.#options.runnerFor({ tenant, name }).foresee?.(work) ?? undefined;
    } catch {
      // What is wrong with it shows when it runs.
      return undefined;
    }
  }

  /** The task runs in this process. */
  runs(taskId: string): boolean {
    return this.#running.has(taskId);
  }

  /** Resolves when none of the tasks runs here any more, or after `ms`. */
  async whenStopped(taskIds: readonly string[], ms: number): Promise<void> {
    const runs = taskIds.flatMap((id) => this.#running.get(id)?.done ?? []);
    if (runs.length === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    await Promise.race([Promise.all(runs), timeout]);
    clearTimeout(timer);
  }

  get slots(): { used: number; total: number } {
    return { used: this.#slots.taken, total: this.#options.concurrency };
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** Attempts of a persona that run in this process. */
  runningOf(tenant: string, persona: string): number {
    return this.#slots.takenOf(tenant, persona);
  }

  /** No new claims; what runs gets `graceMs` to end and is then handed back, without losing an attempt. */
  async drain(graceMs: number): Promise<void> {
    this.#draining = true;
    this.#bell.ring();
    await this.#loop;
    await this.whenStopped([...this.#running.keys()], graceMs);
    for (const { attempt } of this.#running.values()) attempt.abort(HANDED_BACK);
    await this.whenStopped([...this.#running.keys()], HAND_BACK_MS);
    clearInterval(this.#heartbeat);
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }

  #begin(claim: Claim, slot: Slot): void {
    const { ledger, clock, tools } = this.#options;
    const { tenant, taskId } = claim.lease;
    const attempt = new AttemptRun(claim, {
      ledger,
      clock,
      tools,
      offerForChild: (persona, parks) => {
        const reservation = this.reserve(tenant, persona, parks ? claim.snapshot.persona : undefined);
        if (reservation === null) return null;
        const onSubmitted = (submitted: Submitted | null) => {
          if (submitted?.parked === true) slot.release();
          reservation.settle(submitted?.claim);
        };
        return { offer: reservation.offer, onSubmitted };
      },
      foresee: (work) => this.foresee(work),
      onUncertain: (error) => {
        this.#options.onError(error, { taskId, doing: "recording an attempt" });
        this.#giveUp();
      },
    });
    const done = this.#run(attempt, claim, slot);
    this.#running.set(taskId, { attempt, done, heldSince: performance.now(), endedElsewhere: false });
  }

  async #run(attempt: AttemptRun, claim: Claim, slot: Slot): Promise<void> {
    const { task, lease } = attempt;
    let awaiter: Reservation | null = null;
    let next: Claim | undefined;
    try {
      const outcome = await this.#outcomeOf(attempt, claim);
      if (outcome !== null) {
        awaiter = this.#reserveForAwaiter(task.principal, lease.tenant, task.persona);
        next = (await attempt.settle(outcome, awaiter?.offer))?.claim;
      }
    } catch (error) {
      this.#options.onError(error, { taskId: lease.taskId, doing: "settling an attempt" });
      this.#giveUp();
    } finally {
      // A parked task may have been claimed again before its last attempt had returned.
      const running = this.#running.get(lease.taskId);
      if (running?.attempt === attempt) {
        this.#running.delete(lease.taskId);
        if (running.endedElsewhere) this.#options.ledger.announceStopped(lease);
      }
      slot.release();
      awaiter?.settle(next);
    }
  }

  /** A delegated task wakes whoever awaits it, in the transaction in which it ends: its slot can go straight on. */
  #reserveForAwaiter(principal: string, tenant: string, persona: string): Reservation | null {
    return principal.startsWith("persona:") ? this.reserve(tenant, principal.slice("persona:".length), persona) : null;
  }

  /** Null when nothing is to be settled: the attempt has parked already, or is no longer ours. */
  async #outcomeOf(attempt: AttemptRun, claim: Claim): Promise<Settlement | null> {
    const { backoffBaseMs, backoffMaxMs, clock } = this.#options;
    const failed = (reason: string, retryable: boolean): Settlement => {
      const retryAt = clock.now() + backoff(claim.snapshot.attempt, backoffBaseMs, backoffMaxMs);
      return { type: "failed", message: agentSays(reason), retryable, retryAt };
    };
    const { tenant, persona } = claim.snapshot;
    // Claimed while the configuration changed: the task waits for a node, or a configuration, that has its persona.
    if (!this.#slots.hosts(tenant, persona)) return { type: "handed_back" };
    let outcome: RunOutcome;
    try {
      outcome = await this.#options.runnerFor({ tenant, name: persona }).run(attempt);
    } catch (error) {
      outcome = { type: "failed", reason: messageOf(error), retryable: NuncioError.is(error) && error.retryable };
    }
    if (attempt.aborted !== undefined) {
      const { reason } = attempt.aborted;
      if (reason === HANDED_BACK) return { type: "handed_back" };
      if (reason === NOT_OURS || NuncioError.is(reason, "lease_lost")) return null;
      return failed(messageOf(reason), true);
    }
    switch (outcome.type) {
      case "completed":
      case "asked":
      case "awaiting":
      case "approval":
        return outcome;
      case "rejected":
        return { type: "rejected", message: agentSays(outcome.reason) };
      case "failed":
        return failed(outcome.reason, outcome.retryable);
      case "parked":
        if (!attempt.ended) throw new Error("a run says that it is parked, and is not");
        return null;
    }
  }

  #onChange(change: TaskChange): void {
    this.#runnable.onChange(change);
    // A task has parked for a shorter time than the loop would sleep.
    if (change.wakeAt !== null && change.wakeAt < this.#sleepsUntil) this.#bell.ring();
    if (isTerminal(change.state)) {
      const running = this.#running.get(change.taskId);
      if (running === undefined || running.attempt.ended) return;
      // Without events it comes from another node, where somebody waits to hear that the run has stopped.
      running.endedElsewhere = change.events === undefined;
      running.attempt.abort(NOT_OURS);
    }
  }

  async #extendLeases(): Promise<void> {
    const { ledger, clock, leaseMs, alone } = this.#options;
    const now = performance.now();
    const extended = [...this.#running.values()];
    // Time is up when the ledger has not answered for as long as a lease lasts: others may run these by now.
    for (const { attempt, heldSince } of extended) {
      if (!alone && now - heldSince > leaseMs) attempt.abort(NOT_OURS);
    }
    if (this.#extending || extended.length === 0) return;
    this.#extending = true;
    try {
      const leases = extended.map(({ attempt }) => attempt.lease);
      const { lost } = await ledger.system.heartbeat({ leases, leaseMs, now: clock.now() });
      const gone = new Set(lost);
      for (const running of extended) {
        if (!gone.has(running.attempt.lease.taskId)) running.heldSince = now;
        else if (!running.attempt.ended) running.attempt.abort(NOT_OURS);
      }
    } catch (error) {
      this.#options.onError(error, { doing: "extending leases" });
    } finally {
      this.#extending = false;
    }
  }

  async #tickSafely(): Promise<{ nextAt: number }> {
    try {
      return await this.tick();
    } catch (error) {
      this.#options.onError(error, { doing: "looking for work" });
      return { nextAt: this.#options.clock.now() + 1000 };
    }
  }
}

export interface Reservation {
  offer: ClaimOffer;
  /** Ends the reservation: the claim runs in the slot, or the slot is free again. */
  settle(claim: Claim | undefined): void;
}

const HANDED_BACK = Symbol("handed back");
/** The task has ended, or another worker owns it. */
const NOT_OURS = Symbol("not ours");
