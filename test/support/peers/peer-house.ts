import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parsePlan } from "../../../src/config/parse-plan.js";
import { createOutbound } from "../../../src/outbound/outbound.js";
import { AfterTheEnd } from "../../../src/peers/after-the-end.js";
import type { PeerDesk } from "../../../src/peers/desk.js";
import type { Dispatch } from "../../../src/peers/dispatch.js";
import { openPeer } from "../../../src/peers/open-peer.js";
import { PeerRegistry } from "../../../src/peers/peer-registry.js";
import type { Pin } from "../../../src/peers/pin.js";
import { peerPersona } from "../../../src/plans/assignment.js";
import { PlannedTasks } from "../../../src/plans/planned-tasks.js";
import { PeerRunner } from "../../../src/runtimes/peer/peer-runner.js";
import { newId } from "../../../src/shared/ids.js";
import { QueueRoom } from "../../../src/store/ledger/queue-room.js";
import { sqlPeerStore } from "../../../src/store/peers/peer-store.js";
import { sqlPlanStore } from "../../../src/store/plans/plan-store.js";
import { sqlLedger } from "../../../src/store/sql-ledger.js";
import { openSqlite } from "../../../src/store/sqlite/open-sqlite.js";
import type { TaskSnapshot } from "../../../src/tasks/task.js";
import { isTerminal } from "../../../src/tasks/task-state.js";
import { Worker } from "../../../src/tasks/worker.js";
import { operatorFolder } from "./pinned-peer.js";

const PLAN = `
schema: 1
title: t
steps: [{ id: s, instruction: "do" }]
checks: [{ name: c, command: "true" }]
limits: { invocations: 100000, token_units: null }
`;

/** What has become of one assignment. */
export interface Outcome {
  dispatch: Dispatch;
  child: TaskSnapshot;
}

/**
 * The whole way of an assignment to a peer, in this process: a real ledger, a worker, the way out, sockets. Only the clock
 * is the test's, so that nobody waits for a pause.
 */
export class PeerHouse {
  now = 1_800_000_000_000;
  readonly registry = new PeerRegistry([]);
  readonly desk: PeerDesk;
  readonly ledger;
  readonly faults: unknown[] = [];
  readonly #clock = { now: () => this.now };
  readonly #database = openSqlite(":memory:");
  readonly #plans: PlannedTasks;
  readonly #worker: Worker;
  readonly #after: AfterTheEnd;
  readonly #folder = operatorFolder();
  readonly #peer: string;
  #plan: { id: string; revision: number } | undefined;
  #begun = 0;

  constructor(peer: string, files: Record<string, string> = {}) {
    this.#peer = peer;
    const room = new QueueRoom();
    this.ledger = sqlLedger(this.#database, room);
    const store = sqlPeerStore(this.#database);
    const plans = sqlPlanStore(this.#database, room);
    const outbound = createOutbound({ mode: "production", allow: [] });
    const sealer = { open: () => Promise.reject(new Error("nothing is sealed")) as never };
    const deps = { outbound: async () => outbound, registry: this.registry, clock: this.#clock, sealer };
    this.desk = {
      ...{ store, registry: this.registry, clock: this.#clock },
      open: (pin, signal) => openPeer(deps, pin, signal),
    };
    this.#plans = new PlannedTasks({
      ...{ store: plans, clock: this.#clock, parsePlan },
      profiles: () => [{ name: "own/brief", kind: "analysis", text: "be brief" }],
      hosts: () => true,
      peerOf: (name) => {
        const known = this.registry.get(name);
        return known && { pinDigest: known.pinDigest, slots: known.pin.slots };
      },
      runCheck: async ({ name }) => ({ name, green: true, exitCode: 0, ms: 0, output: "" }),
      excluded: [],
      fence: (text) => text,
      newNonce: newId,
      newTasks: () => ({ maxAttempts: 3, bounds: { perPersona: 1000, perTenant: 1000 } }),
    });
    const runner = new PeerRunner({ ...this.desk, plans });
    const onError = (error: unknown) => void this.faults.push(error);
    this.#worker = new Worker({
      ...{ ledger: this.ledger, owner: newId(), clock: this.#clock, onError },
      personas: [{ tenant: "default", name: peerPersona(peer), maxConcurrent: 8 }],
      runnerFor: () => runner,
      tools: () => NO_TOOLS,
      ...{ concurrency: 8, leaseMs: 3_600_000, backoffBaseMs: 10, backoffMaxMs: 50, alone: true },
    });
    const whenStopped = (taskId: string) => this.#worker.whenStopped([taskId], 5000);
    this.#after = new AfterTheEnd({ ...this.desk, ledger: this.ledger, whenStopped, onError });
    mkdirSync(this.workspace);
    for (const [path, text] of Object.entries(files)) writeFileSync(join(this.workspace, path), text);
  }

  get folder(): string {
    return this.#folder.path;
  }

  get workspace(): string {
    return join(this.#folder.path, "workspace");
  }

  pin(pin: Pin): void {
    this.registry.replace([pin]);
  }

  /** A new assignment to the peer, which is run: the task that does it. */
  async begin(deadlineMs?: number): Promise<string> {
    // Plans have a handful of assignments, and are read whole.
    if (this.#begun % 10 === 0) this.#plan = undefined;
    this.#begun += 1;
    this.#plan ??= (
      await this.#plans.create({ text: PLAN, file: "plan.yaml", workspace: this.workspace, tenant: "default" })
    ).plan;
    const planId = this.#plan.id;
    const assigned = await this.#plans.assign({
      ...{ planId, step: "s", profile: "own/brief", runtime: this.#peer, invocations: 1 },
      revision: this.#plan.revision,
    });
    const { revision } = assigned.plan;
    const { plan, child } = await this.#plans.run({
      ...{ planId, assignmentId: assigned.assignment.id, generation: 0, revision, deadlineMs },
    });
    this.#plan = plan;
    return child.id;
  }

  /** One round of the worker, to the end of what it has begun. */
  async round(taskId: string): Promise<TaskSnapshot> {
    const tick = await this.#worker.tick();
    await this.#worker.whenStopped([taskId], 60_000);
    const child = await this.ledger.forTenant("default").snapshot(taskId);
    if (child === null) throw new Error("the task is gone");
    if (tick.claimed === 0 && Number.isFinite(tick.nextAt)) this.now = Math.max(this.now, tick.nextAt);
    return child;
  }

  /** Lets time pass until the task has ended, or asks something; not forever. */
  async settle(taskId: string, rounds = 40): Promise<Outcome> {
    for (let round = 0; round < rounds; round += 1) {
      const child = await this.round(taskId);
      if (isTerminal(child.state) || child.waitingFor === "input" || child.waitingFor === "auth") {
        return { child, dispatch: await this.dispatch(taskId) };
      }
    }
    throw new Error(`task ${taskId} does not end: ${JSON.stringify(await this.dispatch(taskId))}`);
  }

  run = async (deadlineMs?: number): Promise<Outcome> => this.settle(await this.begin(deadlineMs));

  async dispatch(taskId: string): Promise<Dispatch> {
    const dispatch = await this.desk.store.dispatch("default", taskId);
    if (dispatch === null) throw new Error(`there is no dispatch of ${taskId}`);
    return dispatch;
  }

  /** The operator does not want it any more. */
  async cancel(taskId: string): Promise<void> {
    await this.ledger.forTenant("default").cancel({ taskId, reason: "not wanted", now: this.now });
  }

  /** Lets the peer have another one, although it is not known to have ended. */
  async release(taskId: string): Promise<void> {
    const fact = { type: "slot_released", why: "the test goes on" } as const;
    await this.desk.store.note({ tenant: "default", taskId, fact, now: this.now });
  }

  async close(): Promise<void> {
    await this.#worker.drain(0);
    await this.#after.close();
    await this.#database.close();
    this.#folder.remove();
  }
}

const NO_TOOLS = {
  names: [],
  call: () => Promise.reject(new Error("a peer has no tools")),
} as never;
