import type { AgentName } from "../../../access/agent-name.js";
import type { Sealer } from "../../../access/sealing/sealer.js";
import type { Outbound } from "../../../outbound/outbound.js";
import { backoff } from "../../../shared/backoff.js";
import type { Clock } from "../../../shared/clock.js";
import { messageOf } from "../../../shared/errors.js";
import type { TaskLedger } from "../../../tasks/ledger.js";
import type { PushLease, PushSubscription } from "../../../tasks/push-ledger.js";
import type { TaskEvent } from "../../../tasks/task-event.js";
import type { Entry, Position } from "./entry.js";
import { Narration, type News } from "./narration.js";
import { type Notification, type Posted, post } from "./post.js";
import { openTarget } from "./target.js";

export interface PushSettings {
  /** Failures in a row after which a receiver is given up. */
  maxAttempts: number;
  backoffBaseMs: number;
  backoffMaxMs: number;
  /** From the call to the status of the answer. */
  timeoutMs: number;
}

export interface TurnDeps {
  ledger: TaskLedger;
  sealer: Sealer;
  outbound: () => Promise<Pick<Outbound, "fetch">>;
  clock: Clock;
  /** Names this sender in leases. */
  owner: string;
  settings: PushSettings;
  /** Whether the caller that wants to be told may see the agent at this moment. */
  mayBeTold(principal: string, agent: AgentName): boolean;
  /** A receiver was given up. */
  onGivenUp(push: PushSubscription, error: string): void;
}

/** How a turn ends. */
export type Ended =
  /** There is nothing more to tell for now. */
  | { type: "idle" }
  /** There is more, and others have their turn first. */
  | { type: "more" }
  | { type: "rest"; until: number }
  /** It is done, disabled, or not there any more. */
  | { type: "over" };

const IDLE: Ended = { type: "idle" };
const MORE: Ended = { type: "more" };
const OVER: Ended = { type: "over" };

/** Events are read a few at a time, since they may be large. */
const EVENTS_AT_ONCE = 8;
/** A receiver that always has more leaves its place to others now and then. */
const NEWS_A_TURN = 32;
/** Somebody else is at it. */
const ELSEWHERE_MS = 5000;
/** A lease outlasts an attempt by so much. */
const LEASE_MARGIN_MS = 15_000;

/**
 * One turn of one receiver: tells it of what is due, one after another, each recorded before the next. If we die between
 * telling and recording, it is told the same once more, under the same event id.
 */
export class Turn {
  readonly #deps: TurnDeps;
  readonly #entry: Entry;
  readonly #push: PushSubscription;
  readonly #signal: AbortSignal;
  readonly #leaseMs: number;
  #lease: PushLease | null = null;

  private constructor(deps: TurnDeps, entry: Entry, push: PushSubscription, signal: AbortSignal) {
    this.#deps = deps;
    this.#entry = entry;
    this.#push = push;
    this.#signal = signal;
    this.#leaseMs = deps.settings.timeoutMs + LEASE_MARGIN_MS;
  }

  /** @param signal gives up in the middle: what was being told is told again, later or by somebody else */
  static async run(deps: TurnDeps, entry: Entry, signal: AbortSignal): Promise<Ended> {
    const { clock, ledger, settings } = deps;
    const push = await ledger.system.push.find(entry);
    if (push === null || push.state !== "waiting") return OVER;
    entry.attempts = push.attempts;
    const now = clock.now();
    // A later one was set by a clock that has been set back since.
    if (push.nextAt > now && push.nextAt <= now + settings.backoffMaxMs) return { type: "rest", until: push.nextAt };
    const turn = new Turn(deps, entry, push, signal);
    let ended: Ended | undefined;
    try {
      ended = await turn.#run();
      return ended;
    } finally {
      // In the middle of something: where it stands is read anew.
      if (ended !== IDLE && ended !== MORE) entry.position = null;
      await turn.#release();
    }
  }

  async #run(): Promise<Ended> {
    const at = await this.#position();
    if (at === null) return OVER;
    for (let told = 0; ; ) {
      const { news, last } = await this.#read(at);
      for (const [index, each] of news.entries()) {
        const ended = await this.#tell(at, each, last && index === news.length - 1);
        if (ended !== null) return ended;
        told += 1;
      }
      if (last) return IDLE;
      if (told >= NEWS_A_TURN) return MORE;
    }
  }

  async #position(): Promise<Position | null> {
    const { sentSeq, version } = this.#push;
    const known = this.#entry.position;
    if (known?.sentSeq === sentSeq) return known;
    const seen = await this.#taskAt(sentSeq);
    if (seen === null) return null;
    const target = this.#target();
    const bare = "url" in target && target.bare === true;
    this.#entry.position = { persona: seen.persona, sentSeq, narration: new Narration(version, bare, seen) };
    return this.#entry.position;
  }

  /** What there is to tell, and whether that is all for now. */
  async #read({ sentSeq, narration }: Position): Promise<{ news: News[]; last: boolean }> {
    const { tenant, taskId } = this.#push;
    const whole = (seq: number) => ({ news: [{ seq, update: null }], last: true });
    const { seq } = narration;
    const events = await this.#deps.ledger.forTenant(tenant).events(taskId, seq, EVENTS_AT_ONCE);
    const latest = events.at(-1);
    // Single events are not there any more: what came of all of them is.
    if (latest !== undefined && !follow(events, seq)) return whole(latest.seq);
    if (latest === undefined && narration.beginsAt > sentSeq && seq === narration.beginsAt) return whole(seq);
    return { news: narration.read(events), last: events.length < EVENTS_AT_ONCE };
  }

  /** Null when it was told and may be told more. */
  async #tell(at: Position, news: News, release: boolean): Promise<Ended | null> {
    const { ledger, clock } = this.#deps;
    if (this.#signal.aborted) return MORE_LATER;
    this.#lease ??= await this.#claim(at.sentSeq);
    if (this.#lease === null) return { type: "rest", until: clock.now() + ELSEWHERE_MS };
    const notification = await at.narration.write(news, (seq) => this.#taskAt(seq));
    if (notification === null) return OVER;
    const posted = await this.#post(notification, at.persona);
    if (posted.type === "refused") return this.#refused(posted);
    const { seq } = notification;
    const recorded = await ledger.system.push.delivered({
      ...{ lease: this.#lease, seq, status: posted.status, release, leaseMs: this.#leaseMs, now: clock.now() },
    });
    if (recorded !== "held" || release) this.#lease = null;
    if (recorded === "done") return OVER;
    if (recorded === "lost") return MORE_LATER;
    at.sentSeq = seq;
    this.#entry.attempts = 0;
    return null;
  }

  #claim(sentSeq: number): Promise<PushLease | null> {
    const { ledger, clock, owner, settings } = this.#deps;
    const { tenant, taskId, id } = this.#push;
    return ledger.system.push.claim({
      ...{ tenant, taskId, id, owner, sentSeq, leaseMs: this.#leaseMs, now: clock.now() },
      longestBackoffMs: settings.backoffMaxMs,
    });
  }

  async #post(notification: Notification, persona: string): Promise<Posted> {
    const { principal, tenant } = this.#push;
    if (!this.#deps.mayBeTold(principal, { tenant, name: persona })) {
      return { type: "refused", status: null, error: "its caller may not see the agent", gone: true, retryAfterMs: 0 };
    }
    const target = this.#target();
    if (!("url" in target)) {
      return { type: "refused", status: null, error: target.problem, gone: false, retryAfterMs: 0 };
    }
    const { outbound, settings } = this.#deps;
    const { version, taskId } = this.#push;
    return post(await outbound(), target, { version, taskId, notification }, settings.timeoutMs, this.#signal);
  }

  #target(): ReturnType<typeof openTarget> | { problem: string } {
    try {
      return openTarget(this.#deps.sealer, this.#push);
    } catch (error) {
      return { problem: messageOf(error) };
    }
  }

  async #refused({ error, status, gone, retryAfterMs }: Extract<Posted, { type: "refused" }>): Promise<Ended> {
    const { ledger, clock, settings, onGivenUp } = this.#deps;
    const { maxAttempts, backoffBaseMs, backoffMaxMs } = settings;
    const lease = this.#lease as PushLease;
    this.#lease = null;
    this.#entry.attempts += 1;
    const disable = gone || this.#entry.attempts >= maxAttempts;
    const wait = Math.max(backoff(this.#entry.attempts, backoffBaseMs, backoffMaxMs), retryAfterMs);
    const now = clock.now();
    const retryAt = now + Math.min(wait, backoffMaxMs);
    const held = await ledger.system.push.failed({ lease, error, status, retryAt, disable, now });
    if (!held) return MORE_LATER;
    if (!disable) return { type: "rest", until: retryAt };
    onGivenUp(this.#push, error);
    return OVER;
  }

  async #release(): Promise<void> {
    if (this.#lease !== null) await this.#deps.ledger.system.push.release(this.#lease);
  }

  #taskAt(seq: number) {
    const { tenant, taskId } = this.#push;
    return this.#deps.ledger.forTenant(tenant).snapshot(taskId, seq);
  }
}

/** It was changed meanwhile: it is looked at anew. */
const MORE_LATER: Ended = { type: "more" };

const follow = (events: readonly TaskEvent[], after: number): boolean =>
  events.every(({ seq }, index) => seq === after + 1 + index);
