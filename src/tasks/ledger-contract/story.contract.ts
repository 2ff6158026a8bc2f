import { expect } from "vitest";
import type { Claim } from "../ledger.js";
import type { Task } from "../task.js";
import { isRunning, isTerminal } from "../task-state.js";
import { type Attempt, piece } from "./attempt.contract.js";
import { allTasks } from "./invariants.contract.js";
import { LEASE_MS, type World } from "./world.contract.js";

const PERSONAS = ["writer", "editor"] as const;
const WORKERS = ["worker-1", "worker-2", "worker-3"] as const;
const CONTEXTS = ["context-1", "context-2"] as const;
/** Delegations to one persona at a time. */
const PLACES = 2;

/** A small world in which anything may happen next, and what its workers believe to own. */
export class Story {
  readonly world: World;
  /** Every claim that a worker has ever been given, lost ones included. */
  readonly attempts: Attempt[] = [];
  /** Who owns each running task, as far as the ledger has said. */
  readonly owners = new Map<string, Attempt>();

  constructor(world: World) {
    this.world = world;
    world.ledger.onChange(({ taskId, state }) => {
      if (!isRunning(state)) this.owners.delete(taskId);
    });
  }

  claimed(attempt: Attempt): void {
    expect(this.owners.has(attempt.id), "a task with two owners").toBe(false);
    this.owners.set(attempt.id, attempt);
    this.attempts.push(attempt);
  }

  owns = (attempt: Attempt): boolean => this.owners.get(attempt.id) === attempt;

  /** Invariant 4: what an attempt writes is taken if it owns its task, and refused if it does not. */
  async write(attempt: Attempt, write: () => Promise<object>): Promise<void> {
    if (!this.owns(attempt)) {
      await expect(write()).rejects.toMatchObject({ code: "lease_lost" });
      return;
    }
    const written: { claim?: Claim } = await write();
    if (written.claim !== undefined) this.claimed(this.world.attempt(written.claim));
  }

  /** D12: refused exactly when so many delegated tasks of the persona are unfinished, and the step is not repeated. */
  async delegate(attempt: Attempt, choice: number, parks: boolean): Promise<void> {
    const { world } = this;
    const persona = one(PERSONAS, choice) as string;
    const step = `send ${persona} ${choice % 3}`;
    const child = {
      step,
      maxConcurrentPerTarget: PLACES,
      ...(parks ? { parkUntil: world.now + 2 * LEASE_MS } : {}),
      ...(choice % 2 === 0 ? { offer: world.offer(one(WORKERS, choice)) } : {}),
    };
    const repeated = (await world.tenant.task(attempt.childId(step))) !== null;
    const taken = await this.unfinished((task) => task.parentId !== null && task.persona === persona);
    if (repeated || taken.length < PLACES || !this.owns(attempt)) {
      await this.write(attempt, () => attempt.delegate(persona, child));
    } else {
      await expect(attempt.delegate(persona, child)).rejects.toMatchObject({ reason: "maxConcurrentPerTarget" });
    }
  }

  async unfinished(wanted: (task: Task) => boolean = () => true): Promise<Task[]> {
    return (await allTasks(this.world.ledger)).filter((task) => !isTerminal(task.state) && wanted(task));
  }
}

/** `pick` says on what, `choice` says how; a move for which there is nothing to pick does nothing. */
type Move = (story: Story, pick: number, choice: number) => Promise<unknown>;

export type MoveName = keyof typeof MOVES;

const byAttempt =
  (act: (attempt: Attempt, story: Story, choice: number) => Promise<void>): Move =>
  async (story, pick, choice) => {
    // Mostly an attempt that owns its task, now and then one that may have lost it.
    const attempt = pick % 8 === 0 ? one(story.attempts, pick) : one([...story.owners.values()], pick);
    if (attempt !== undefined) await act(attempt, story, choice);
  };

const writing = (write: (attempt: Attempt, world: World, choice: number) => Promise<object>): Move =>
  byAttempt((attempt, story, choice) => story.write(attempt, () => write(attempt, story.world, choice)));

export const MOVES = {
  submit: ({ world }, pick, choice) => world.submit(newTask(pick, choice)),

  async "submit with a slot"(story, pick, choice) {
    const { world } = story;
    const { claim } = await world.submit({ ...newTask(pick, choice), offer: world.offer(one(WORKERS, pick)) });
    if (claim !== undefined) story.claimed(world.attempt(claim));
  },

  async claim(story, pick, choice) {
    const worker = one(WORKERS, pick) as string;
    for (const claim of await story.world.claim({ worker, personas: PERSONAS, free: 1 + (choice % 2) })) {
      story.claimed(claim);
    }
  },

  say: writing((attempt, _, choice) => attempt.append([piece(`${choice} `, choice % 4 > 0)])),

  complete: writing((attempt, world, choice) =>
    attempt.complete(choice % 2 === 0 ? world.offer(one(WORKERS, choice)) : undefined),
  ),

  fail: writing((attempt, world, choice) =>
    attempt.fail("no", { retryable: choice % 4 > 0, retryAt: world.now + (choice % 3) * 100 }),
  ),

  ask: writing((attempt, _, choice) => attempt.ask("which?", choice % 3 === 0 ? "auth" : "input")),

  "ask the operator": byAttempt(async (attempt, story, choice) => {
    const children = (await story.world.tenant.children(attempt.id)).map(({ id }) => id);
    const callIds = [`c${choice % 3}`, `c${choice % 5}`];
    const taskIds = choice % 2 === 0 ? children.slice(-1) : [];
    await story.write(attempt, () => attempt.askOperator(callIds, { expiresIn: 100 + (choice % 3) * 100, taskIds }));
  }),

  async decide({ world }, pick, choice) {
    const open = one(await world.inbox(), pick);
    if (open === undefined) return;
    const decision = choice % 2 === 0 ? "approved" : "denied";
    const decided = world.ledger.system.approvals.decide({ id: open.id, decision, now: world.now });
    if (open.expiresAt > world.now) expect(await decided).toMatchObject({ id: open.id, decision });
    else await expect(decided).rejects.toMatchObject({ reason: "APPROVAL_DECIDED" });
  },

  "hand back": writing((attempt) => attempt.handBack()),

  delegate: byAttempt((attempt, story, choice) => story.delegate(attempt, choice, false)),

  "delegate and park": byAttempt((attempt, story, choice) => story.delegate(attempt, choice, true)),

  await: byAttempt(async (attempt, story, choice) => {
    const children = (await story.world.tenant.children(attempt.id)).map(({ id }) => id);
    const awaited = choice % 2 === 0 ? children : children.slice(-1);
    if (awaited.length > 0) await story.write(attempt, () => attempt.await(awaited));
  }),

  "await what others delegated": byAttempt(async (attempt, story, choice) => {
    const tasks = await allTasks(story.world.ledger);
    const delegated = tasks.filter(({ id, parentId }) => parentId !== null && id !== attempt.id);
    const other = one(delegated, choice);
    if (other !== undefined) await story.write(attempt, () => attempt.await([other.id]));
  }),

  async answer(story, pick) {
    const asking = await story.unfinished(({ waitingFor }) => waitingFor === "input" || waitingFor === "auth");
    const task = one(asking, pick);
    if (task === undefined) return;
    const { answeredId } = await story.world.answer(task.id, "that one");
    expect(answeredId).toBe(task.askingChildId ?? task.id);
  },

  async cancel(story, pick, choice) {
    const task = one(await story.unfinished(), pick);
    if (task === undefined) return;
    const operator = choice % 2 === 0;
    const canceled = story.world.cancel(task.id, "not needed any more", operator);
    if (task.waitingFor !== "approval" || operator) expect((await canceled).canceledIds[0]).toBe(task.id);
    else await expect(canceled).rejects.toMatchObject({ reason: "TASK_NOT_CANCELABLE" });
  },

  async "retry a dead letter"({ world }, pick) {
    const dead = one((await world.ledger.system.deadLetters({ limit: 100 })).items, pick);
    if (dead === undefined) return;
    const retried = world.retryDead(dead.task.id);
    if (dead.retriedAs === null) expect((await retried).task.retryOf).toBe(dead.task.id);
    else await expect(retried).rejects.toMatchObject({ code: "conflict" });
  },

  recover: ({ world }, pick, choice) =>
    world.recover({ worker: one(WORKERS, pick) as string, alone: choice % 4 === 0 }),

  "wake what is due": ({ world }) => world.wakeDue(),

  async "let time pass"({ world }, pick) {
    world.later((pick % 4) * 50 + (pick % 5 === 0 ? LEASE_MS + 1 : 0));
  },
} satisfies Record<string, Move>;

const newTask = (pick: number, choice: number) => ({
  persona: one(PERSONAS, pick) as string,
  contextId: one(CONTEXTS, choice) as string,
  maxAttempts: 2,
});

const one = <T>(from: readonly T[], pick: number): T | undefined => from[pick % from.length];
