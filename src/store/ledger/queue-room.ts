import { NuncioError } from "../../shared/errors.js";
import type { QueueBounds, Submit, TaskChange } from "../../tasks/ledger.js";
import { one, type Steps } from "../sql/command.js";
import { sql } from "../sql/statement.js";
import type { Place } from "./create-task.js";

/** What was counted is believed for so long: meanwhile other nodes may submit and claim. */
const BELIEVED_MS = 1000;
/** A queue that was found full is refused from memory for so long; a longer one, which takes longer to count, for longer. */
const FULL_MS = 100;
const FULL_MS_PER_TASK = 0.01;

/* In the words of the partial index `tasks_runnable`, and no further than the bound. */
const pendingOfTenant = sql<{ count: number }>(`SELECT count(*) AS count FROM (
    SELECT 1 FROM tasks WHERE tenant = :tenant AND state = 'pending' LIMIT :limit) AS found`);
const pendingOfPersona = sql<{ count: number }>(`SELECT count(*) AS count FROM (
    SELECT 1 FROM tasks WHERE tenant = :tenant AND persona = :persona AND state = 'pending' LIMIT :limit) AS found`);

/** How many tasks are pending, as far as this process knows: what was counted last, and what has come since. */
class Estimate {
  pending = 0;
  /** All that ever came, to know what came while it was counted. */
  came = 0;
  bound = 0;
  countedAt = Number.NEGATIVE_INFINITY;
  fullUntil = Number.NEGATIVE_INFINITY;

  add(): void {
    this.pending += 1;
    this.came += 1;
  }

  /** Counts only when what is known does not answer; below the bound that is once a second. */
  *isFull(bound: number, now: number, count: () => Steps<{ count: number } | undefined>): Steps<boolean> {
    const known = bound === this.bound && Math.abs(now - this.countedAt) < BELIEVED_MS;
    if (known && now < this.fullUntil) return true;
    if (known && this.pending < bound) return false;
    const before = this.came;
    const counted = (yield* count())?.count ?? 0;
    this.pending = counted + this.came - before;
    this.bound = bound;
    this.countedAt = now;
    const full = this.pending >= bound;
    this.fullUntil = full ? now + Math.max(FULL_MS, bound * FULL_MS_PER_TASK) : Number.NEGATIVE_INFINITY;
    return full;
  }
}

interface Queue {
  whole: Estimate;
  personas: Map<string, Estimate>;
}

/**
 * Whether the queues have room. Counting at each submission would cost more than the submission; so an estimate is kept
 * in memory, and the ledger is asked when it comes up to the bound or has become old.
 *
 * In one process on SQLite no submission exceeds a bound. Where several connections or nodes submit, one may, by what they
 * submit at that moment or within a second.
 */
export class QueueRoom {
  readonly #queues = new Map<string, Queue>();

  /** Notices what has come back into a queue, here or on another node. */
  notice(changes: readonly TaskChange[]): void {
    for (const change of changes) this.#notice(change);
  }

  /** A place for a task that will be pending; the bound that leaves none, when there is none. */
  *take(tenant: string, persona: string, bounds: QueueBounds, now: number): Steps<QueueFull | null> {
    const queue = this.#queue(tenant, persona);
    const ofPersona = queue.personas.get(persona) as Estimate;
    const { perPersona, perTenant } = bounds;
    if (yield* ofPersona.isFull(perPersona, now, () => one(pendingOfPersona, { tenant, persona, limit: perPersona }))) {
      return { bound: "maxPendingPerPersona", limit: perPersona, whose: JSON.stringify(persona) };
    }
    if (yield* queue.whole.isFull(perTenant, now, () => one(pendingOfTenant, { tenant, limit: perTenant }))) {
      return { bound: "maxPendingPerTenant", limit: perTenant, whose: `the tenant ${JSON.stringify(tenant)}` };
    }
    this.came(tenant, persona);
    return null;
  }

  /** A task is pending that nobody asked a place for. */
  came(tenant: string, persona: string): void {
    const queue = this.#queues.get(tenant);
    queue?.whole.add();
    queue?.personas.get(persona)?.add();
  }

  /**
   * New tasks of this process have taken their place, and one that is unblocked was in the queue before. What another
   * node tells is either; where that counts too much, the next count says so.
   */
  #notice({ tenant, persona, state, seq, events }: TaskChange): void {
    if (state !== "pending") return;
    if (events === undefined || (seq > 1 && events.length > 0)) this.came(tenant, persona);
  }

  #queue(tenant: string, persona: string): Queue {
    let queue = this.#queues.get(tenant);
    if (queue === undefined) {
      queue = { whole: new Estimate(), personas: new Map() };
      this.#queues.set(tenant, queue);
    }
    if (!queue.personas.has(persona)) queue.personas.set(persona, new Estimate());
    return queue;
  }
}

/** The bound that leaves no place for a new task, if one does. What a worker takes at once needs none. */
export function* takeRoom(tenant: string, command: Submit, place: Place, room: QueueRoom): Steps<QueueFull | null> {
  const { persona, bounds, now } = command;
  if (place.offer !== null) return null;
  if (bounds !== undefined) return yield* room.take(tenant, persona, bounds, now);
  room.came(tenant, persona);
  return null;
}

export interface QueueFull {
  /** The setting in `queue:` that says so. */
  bound: "maxPendingPerPersona" | "maxPendingPerTenant";
  limit: number;
  whose: string;
}

export const queueIsFull = ({ bound, limit, whose }: QueueFull): NuncioError =>
  new NuncioError(
    "limit_reached",
    `the queue of ${whose} is full: the limit is ${limit} pending tasks (queue.${bound})`,
    {
      reason: bound,
      hint: "try again when some of it has been done",
      retryable: true,
      details: { limit },
    },
  );
