import type { AgentName } from "../../access/agent-name.js";
import type { Authenticated } from "../../access/authenticate.js";
import type { Clock } from "../../shared/clock.js";
import { EndingSource } from "../../shared/ending.js";

/** A call ends at most this long after its key has expired. */
const EXPIRY_MS = 1000;

/**
 * Calls whose answer takes a while: streams, and blocking calls that wait. Each ends when its connection does, when
 * the credential that opened it is revoked or expires, and when the server closes; the task behind it is never touched.
 */
export class OpenCalls {
  readonly #clock: Clock;
  /** In no order: a set of its own kind took 2 µs of a request, for coming and going. */
  readonly #open: OpenCall[] = [];
  /** Open calls whose key expires: they are looked through now and then, since a timer each would miss a set clock. */
  readonly #expiring = new Set<OpenCall>();
  #timer: NodeJS.Timeout | undefined;
  /** Keys that were revoked while a request of theirs may still have been on its way to here. */
  readonly #revoked = new Set<string>();
  #closing = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * @returns what ends when nobody may read the answer any more. Whoever opened it closes it when its connection is done
   * with it.
   */
  open(agent: AgentName, { keyId, expiresAt }: Authenticated): OpenCall {
    const call = new OpenCall(agent, keyId, expiresAt, this.#open.length);
    if (this.#closing || (keyId !== undefined && this.#revoked.has(keyId))) call.abort();
    this.#open.push(call);
    if (expiresAt !== undefined) this.#watch(call);
    return call;
  }

  /** Once for each call. The last one takes its place. */
  close(call: OpenCall): void {
    const last = this.#open.pop();
    if (last !== undefined && last !== call) {
      this.#open[call.place] = last;
      last.place = call.place;
    }
    if (call.expiresAt !== undefined) this.#unwatch(call);
  }

  get size(): number {
    return this.#open.length;
  }

  /** The server closes: nothing that is begun now would last. */
  get closing(): boolean {
    return this.#closing;
  }

  endOfKey(keyId: string): void {
    this.#revoked.add(keyId);
    for (const call of [...this.#open]) if (call.keyId === keyId) call.abort();
  }

  #watch(call: OpenCall): void {
    this.#expiring.add(call);
    this.#timer ??= setInterval(() => this.#endExpired(), EXPIRY_MS).unref();
  }

  #unwatch(call: OpenCall): void {
    if (!this.#expiring.delete(call) || this.#expiring.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #endExpired(): void {
    const now = this.#clock.now();
    for (const call of this.#expiring) if (call.expiresAt !== undefined && call.expiresAt <= now) call.abort();
  }

  /** Ends all, and every one that is opened from now on. */
  endAll(): void {
    this.#closing = true;
    for (const call of [...this.#open]) call.abort();
  }
}

export class OpenCall extends EndingSource {
  constructor(
    readonly agent: AgentName,
    readonly keyId: string | undefined,
    readonly expiresAt: number | undefined,
    /** Where it stands among the open calls. */
    public place: number,
  ) {
    super();
  }
}
