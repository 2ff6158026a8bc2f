import type { Principal } from "../../access/principal.js";
import type { Clock } from "../../shared/clock.js";
import { EndingSource } from "../../shared/ending.js";
import { NuncioError } from "../../shared/errors.js";
import { type Admitted, authenticatedIn, type Refusal } from "./gate.js";
import { refusalError, tooManyOpen, unauthenticated } from "./refusals.js";

/** A call ends at most this long after its key has expired. */
const EXPIRY_MS = 1000;

/** What decides who may come in, for calls that are open while that changes. */
export interface Door<Entry extends Admitted> {
  /** How many calls each caller may have open. */
  readonly limits: { streams: number };
  /** Whether what it was decided by is different now. */
  changedSince(entry: Entry): boolean;
  /** What would be said of the same call now. */
  admitAgain(entry: Entry): Again<Entry> | Promise<Again<Entry>>;
}

type Again<Entry extends Admitted> = Entry | { refusal: Refusal };

/**
 * Calls whose answer takes a while: streams, and blocking calls that wait. Each ends when its connection does, when
 * the credential that opened it is revoked or expires, when it would not be let in any more, and when the server closes;
 * the task behind it is never touched.
 */
export class OpenCalls<Entry extends Admitted = Admitted> {
  readonly #clock: Clock;
  readonly #door: Door<Entry>;
  /** In no order: a set of its own kind took 2 µs of a request, for coming and going. */
  readonly #open: OpenCall<Entry>[] = [];
  /** Open calls of each caller that has some. */
  readonly #callers = new Map<string, OpenOfCaller>();
  /** Open calls whose key expires: they are looked through now and then, since a timer each would miss a set clock. */
  readonly #expiring = new Set<OpenCall<Entry>>();
  #timer: NodeJS.Timeout | undefined;
  /** Keys that were revoked while a request of theirs may still have been on its way to here. */
  readonly #revoked = new Set<string>();
  #closing = false;

  constructor(clock: Clock, door: Door<Entry>) {
    this.#clock = clock;
    this.#door = door;
  }

  /**
   * What was said of a call when its head came, as it would be said now: the body may come half a minute later, and somebody
   * who has lost a key must not have left a request in the door. Costs nothing where nothing has changed.
   */
  asOfNow(entry: Entry): Again<Entry> | Promise<Again<Entry>> {
    const { keyId, expiresAt } = authenticatedIn(entry);
    const ended = keyId !== undefined && this.#revoked.has(keyId);
    const expired = expiresAt !== undefined && expiresAt <= this.#clock.now();
    return ended || expired || this.#door.changedSince(entry) ? this.#door.admitAgain(entry) : entry;
  }

  /**
   * @returns what ends when nobody may read the answer any more. Whoever opened it closes it when its connection is done
   * with it.
   * @throws NuncioError when the caller has too many open already, or has lost its credential meanwhile
   */
  open(entry: Entry): OpenCall<Entry> {
    const { principal, keyId, expiresAt } = authenticatedIn(entry);
    if (keyId !== undefined && this.#revoked.has(keyId)) throw unauthenticated();
    const { subject } = principal;
    let caller = this.#callers.get(subject);
    const { streams } = this.#door.limits;
    if (caller !== undefined && caller.count >= streams) throw tooManyOpen(streams);
    caller ??= { subject, count: 0 };
    const call = new OpenCall(entry, caller, keyId, expiresAt, this.#open.length);
    if (this.#door.changedSince(entry)) this.#decideAgain(call);
    if (NuncioError.is(call.reason)) throw call.reason;
    if (this.#closing) call.abort();
    this.#open.push(call);
    if (caller.count === 0) this.#callers.set(subject, caller);
    caller.count += 1;
    if (expiresAt !== undefined) this.#watch(call);
    return call;
  }

  /** Once for each call. The last one takes its place. */
  close(call: OpenCall<Entry>): void {
    const last = this.#open.pop();
    if (last !== undefined && last !== call) {
      this.#open[call.place] = last;
      last.place = call.place;
    }
    const { caller } = call;
    caller.count -= 1;
    if (caller.count === 0) this.#callers.delete(caller.subject);
    if (call.expiresAt !== undefined) this.#unwatch(call);
  }

  /** The server closes: nothing that is begun now would last. */
  get closing(): boolean {
    return this.#closing;
  }

  get size(): number {
    return this.#open.length;
  }

  endOfKey(keyId: string): void {
    this.#revoked.add(keyId);
    for (const call of [...this.#open]) if (call.keyId === keyId) call.abort(unauthenticated());
  }

  /** Who may do what is different now: each call is decided on again, as if it came now, and ended where it is not let in. */
  decideAgain(): void {
    for (const call of [...this.#open]) this.#decideAgain(call);
  }

  #decideAgain(call: OpenCall<Entry>): void {
    const again = this.#door.admitAgain(call.entry);
    if (!(again instanceof Promise)) endUnless(call, again);
    // Whether the credential still counts cannot be found out, so it does not.
    else
      again.then(
        (entry) => endUnless(call, entry),
        () => call.abort(unauthenticated()),
      );
  }

  #watch(call: OpenCall<Entry>): void {
    this.#expiring.add(call);
    this.#timer ??= setInterval(() => this.#endExpired(), EXPIRY_MS).unref();
  }

  #unwatch(call: OpenCall<Entry>): void {
    if (!this.#expiring.delete(call) || this.#expiring.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #endExpired(): void {
    const now = this.#clock.now();
    for (const call of this.#expiring) {
      if (call.expiresAt !== undefined && call.expiresAt <= now) call.abort(unauthenticated());
    }
  }

  /** Ends all, and every one that is opened from now on. */
  endAll(): void {
    this.#closing = true;
    for (const call of [...this.#open]) call.abort();
  }
}

function endUnless<Entry extends Admitted>(call: OpenCall<Entry>, again: Again<Entry>): void {
  if ("refusal" in again) call.abort(refusalError(again.refusal));
  else if (!isAsGood(authenticatedIn(again).principal, authenticatedIn(call.entry).principal)) {
    call.abort(unauthenticated());
  }
}

/** The same credential may be good for less than it was, or for somebody else: what it opened was decided for before. */
const isAsGood = (now: Principal, before: Principal): boolean =>
  now.subject === before.subject &&
  now.tenant === before.tenant &&
  before.scopes.every((scope) => now.scopes.includes(scope));

interface OpenOfCaller {
  readonly subject: string;
  count: number;
}

export class OpenCall<Entry extends Admitted = Admitted> extends EndingSource {
  constructor(
    /** What it was let in with. */
    readonly entry: Entry,
    readonly caller: OpenOfCaller,
    readonly keyId: string | undefined,
    readonly expiresAt: number | undefined,
    /** Where it stands among the open calls. */
    public place: number,
  ) {
    super();
  }
}
