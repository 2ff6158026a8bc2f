import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { newId } from "../../shared/ids.js";
import type { Approval } from "../approval-ledger.js";
import { bodyHash } from "../body-hash.js";
import type { Claim, Submit, Submitted, TaskChange, TaskLedger, TenantLedger } from "../ledger.js";
import type { Message } from "../message.js";
import { laneOf, type Task, type TaskSnapshot } from "../task.js";
import { isTerminal } from "../task-state.js";
import { Attempt } from "./attempt.contract.js";
import { checkInvariants } from "./invariants.contract.js";
import { userSays } from "./messages.contract.js";

export type OpenLedger = () => Promise<{
  ledger: TaskLedger;
  /** The same ledger, as a process knows it that has done nothing with it so far. */
  elsewhere: TaskLedger;
  close(): Promise<void>;
}>;

export const TENANT = "default";
export const LEASE_MS = 10_000;
export const LONGEST_BACKOFF_MS = 3_600_000;

/** `it`, with a new world for each test. Whatever the test did, the invariants hold when it ends. */
export type LedgerTest = ReturnType<typeof ledgerTest>;

export const ledgerTest = (open: OpenLedger) =>
  test.extend<{ world: World }>({
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures this one needs
    world: async ({}, use) => {
      const { ledger, elsewhere, close } = await open();
      const world = new World(ledger, elsewhere);
      try {
        await use(world);
        await checkInvariants(world);
      } finally {
        await close();
      }
    },
  });

/** A ledger, the time, and short words for what callers and workers do. */
export class World {
  readonly ledger: TaskLedger;
  /** The same in another process. */
  readonly elsewhere: TaskLedger;
  readonly tenant: TenantLedger;
  /** What has been announced, in order. */
  readonly changes: TaskChange[] = [];
  /** What each parked task said that it awaits, when it last parked. */
  readonly awaited = new Map<string, readonly string[]>();
  /** When each delegating step was recorded: runs keep that in their journal. */
  readonly stepTimes = new Map<string, number>();
  /** Tasks as they stood when they were last checked. */
  readonly #seen = new Map<string, Task>();
  /** ms */
  now = Date.UTC(2030, 0, 1);

  constructor(ledger: TaskLedger, elsewhere = ledger) {
    this.ledger = ledger;
    this.elsewhere = elsewhere;
    this.tenant = ledger.forTenant(TENANT);
    ledger.onChange((change) => this.changes.push(change));
  }

  /** The last announcement said that the task may be claimed. */
  isRunnable = ({ tenant, id }: Task): boolean =>
    this.changes.findLast((change) => change.tenant === tenant && change.taskId === id)?.runnable === true;

  /** At which event the task stood when it was last checked; null when nothing of it has changed since. */
  changedSince(task: Task): number | null {
    const before = this.#seen.get(key(task));
    if (before !== undefined && isDeepStrictEqual(before, task)) return null;
    // Invariant 6: a task that has ended never changes again.
    if (before !== undefined && isTerminal(before.state)) expect(task).toEqual(before);
    this.#seen.set(key(task), task);
    return before?.seq ?? 0;
  }

  later(ms: number): void {
    this.now += ms;
  }

  /** Tasks whose caller was to be answered by a Message. */
  readonly bare = new Set<string>();

  /** Submits a task for `writer` in a context of its own, unless told otherwise. */
  async submit(over: Partial<Submit> = {}, tenant = TENANT): Promise<Submitted> {
    const message = over.message ?? userSays("write");
    const whose = { contextId: newId(), persona: "writer", principal: "user:ann", ...over };
    const submitted = await this.ledger.forTenant(tenant).submit({
      ...whose,
      trigger: "a2a",
      message,
      bodyHash: bodyHash(message),
      now: this.now,
      maxAttempts: 3,
      lane: over.delegation === undefined ? laneOf(whose) : null,
      ...over,
    });
    if (over.answeredByMessage === true) this.bare.add(submitted.task.id);
    return submitted;
  }

  /** Everything that `worker` may claim for the personas, oldest first. */
  async claim(
    over: { worker?: string; personas?: readonly string[]; free?: number; limit?: number; tenant?: string } = {},
  ): Promise<Attempt[]> {
    const { worker = "worker-1", personas = ["writer"], free = 100, limit = 100, tenant = TENANT } = over;
    const { claims } = await this.ledger.system.claim({
      ...this.offer(worker),
      ...this.times(),
      limit,
      personas: personas.map((name) => ({ tenant, name, free })),
    });
    return claims.map((claim) => this.attempt(claim));
  }

  /** Claims the one task that can be claimed for `persona`, and starts to run it. */
  async run(persona = "writer", worker = "worker-1"): Promise<Attempt> {
    const [attempt, ...more] = await this.claim({ worker, personas: [persona] });
    if (attempt === undefined || more.length > 0) {
      throw new Error(`one task of ${persona} should be claimable, and ${attempt === undefined ? "none" : "more"} is`);
    }
    await attempt.start();
    return attempt;
  }

  /** A task that `worker` runs. */
  async running(over: Partial<Submit> = {}, worker = "worker-1"): Promise<Attempt> {
    const { claim } = await this.submit({ ...over, offer: this.offer(worker) });
    const attempt = this.attempt(claim);
    await attempt.start();
    return attempt;
  }

  attempt(claim: Claim | undefined): Attempt {
    if (claim === undefined) throw new Error("the offer should have been taken");
    return new Attempt(this, claim);
  }

  times = () => ({ now: this.now, latestRunAt: this.now + LONGEST_BACKOFF_MS });

  offer = (owner = "worker-1") => ({ owner, leaseMs: LEASE_MS });

  answer(taskId: string, text: string, message: Message = userSays(text)) {
    const body = { taskId, message, principal: "user:ann", bodyHash: bodyHash(message, { taskId }), now: this.now };
    return this.tenant.answer(body);
  }

  cancel(taskId: string, reason = "not needed any more", operator = false) {
    return this.tenant.cancel({ taskId, reason, now: this.now, operator });
  }

  /** What the operator has to decide, newest first. */
  inbox = async (): Promise<Approval[]> => (await this.ledger.system.approvals.list({ limit: 100 })).items;

  async decide(callId: string, decision: "approved" | "denied" = "approved", reason?: string): Promise<Approval> {
    const open = (await this.inbox()).find((approval) => approval.callId === callId);
    if (open === undefined) throw new Error(`nothing is asked for the call ${callId}`);
    const given = reason === undefined ? {} : { reason };
    return this.ledger.system.approvals.decide({ id: open.id, decision, now: this.now, ...given });
  }

  recover(over: { worker?: string; alone?: boolean; running?: readonly string[]; limit?: number } = {}) {
    const { worker = "worker-2", alone = false, running = [], limit = 100 } = over;
    const command = { now: this.now, limit, owner: worker, running: new Set(running), alone };
    return this.ledger.system.recover(command);
  }

  heartbeat(...attempts: Attempt[]) {
    const leases = attempts.map(({ lease }) => lease);
    return this.ledger.system.heartbeat({ leases, leaseMs: LEASE_MS, now: this.now });
  }

  wakeDue = () => this.ledger.system.wakeDue({ now: this.now, limit: 100 });

  retryDead = (taskId: string) => this.tenant.retryDead({ taskId, newId: newId(), now: this.now });

  async snapshot(id: string, atSeq?: number): Promise<TaskSnapshot> {
    const snapshot = await this.tenant.snapshot(id, atSeq);
    if (snapshot === null) throw new Error(`task ${id} should be there`);
    return snapshot;
  }

  /** The state in one word, with what it waits for: `waiting(reply)`. */
  async state(id: string): Promise<string> {
    const { state, waitingFor } = await this.snapshot(id);
    return waitingFor === null ? state : `${state}(${waitingFor})`;
  }
}

const key = ({ tenant, id }: Task): string => `${tenant}/${id}`;
