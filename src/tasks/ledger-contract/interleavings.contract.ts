import fc from "fast-check";
import { describe, expect } from "vitest";
import type { Claim, TaskChange } from "../ledger.js";
import type { Task } from "../task.js";
import { isRunning, isTerminal } from "../task-state.js";
import { type Attempt, piece } from "./attempt.contract.js";
import { allTasks, checkInvariants } from "./invariants.contract.js";
import { LEASE_MS, type LedgerTest, type OpenLedger, World } from "./world.contract.js";

const PERSONAS = ["writer", "editor"] as const;
const WORKERS = ["worker-1", "worker-2", "worker-3"] as const;
const CONTEXTS = ["context-1", "context-2"] as const;
const PLACES = 2;

/**
 * Callers, three workers and the clock do what they like, in any order: workers die, come back late with leases that
 * they have lost, and repeat what they did. After each move the invariants hold.
 */
export const interleavings = (it: LedgerTest, open: OpenLedger) =>
  describe("any interleaving", () => {
    it("keeps the invariants", { timeout: 600_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(move, { minLength: 10, maxLength: 100, size: "max" }), async (moves) => {
          const { ledger, close } = await open();
          const story = new Story(new World(ledger));
          try {
            for (const { name, pick, choice } of moves) {
              await MOVES[name](story, pick, choice);
              await checkInvariants(story.world);
            }
          } finally {
            await close();
          }
        }),
        { numRuns: RUNS },
      );
    });
  });

const RUNS = Number(process.env.RUNS ?? 25);

class Story {
  readonly world: World;
  /** Every claim that a worker has ever been given, lost ones included. */
  readonly attempts: Attempt[] = [];
  /** Who owns each running task, as far as the ledger has said. */
  readonly owners = new Map<string, Attempt>();

  constructor(world: World) {
    this.world = world;
    world.ledger.onChange(({ taskId, state }: TaskChange) => {
      if (!isRunning(state)) this.owners.delete(taskId);
    });
  }

  claimed(attempt: Attempt): void {
    expect(this.owners.has(attempt.id), "a task with two owners").toBe(false);
    this.owners.set(attempt.id, attempt);
    this.attempts.push(attempt);
  }

  /** What an attempt writes is taken if it owns its task, and refused if it does not. */
  async write(attempt: Attempt, write: () => Promise<object>): Promise<void> {
    if (this.owners.get(attempt.id) !== attempt) {
      await expect(write()).rejects.toMatchObject({ code: "lease_lost" });
      return;
    }
    const written: { claim?: Claim } = await write();
    if (written.claim !== undefined) this.claimed(this.world.attempt(written.claim));
  }

  /** D12: refused exactly when so many delegated tasks of the persona are unfinished. */
  async delegate(attempt: Attempt, choice: number, parks: boolean): Promise<void> {
    const persona = one(PERSONAS, choice) as string;
    const step = `send ${persona} ${choice % 3}`;
    const { world } = this;
    const tasks = await this.tasks();
    const unfinished = tasks.filter(
      (task) => task.parentId !== null && task.persona === persona && !isTerminal(task.state),
    );
    const repeated = tasks.some(({ id }) => id === attempt.childId(step));
    const parkUntil = world.now + 2 * LEASE_MS;
    const child = {
      step,
      maxConcurrentPerTarget: PLACES,
      ...(parks ? { parkUntil } : {}),
      ...(choice % 2 === 0 ? { offer: world.offer(one(WORKERS, choice)) } : {}),
    };
    await this.write(attempt, async () => {
      if (repeated || unfinished.length < PLACES || this.owners.get(attempt.id) !== attempt)
        return attempt.delegate(persona, child);
      await expect(attempt.delegate(persona, child)).rejects.toMatchObject({ reason: "maxConcurrentPerTarget" });
      return {};
    });
  }

  tasks = (): Promise<Task[]> => allTasks(this.world.ledger);

  async unfinished(wanted: (task: Task) => boolean = () => true): Promise<Task[]> {
    return (await this.tasks()).filter((task) => !isTerminal(task.state) && wanted(task));
  }
}

type Move = (story: Story, pick: number, choice: number) => Promise<unknown>;

/** Mostly an attempt that owns its task, now and then one that has lost it. */
function anAttempt({ owners, attempts }: Story, pick: number): Attempt | undefined {
  return pick % 8 === 0 ? one(attempts, pick) : one([...owners.values()], pick);
}

const byAttempt =
  (write: (attempt: Attempt, story: Story, choice: number) => Promise<object>): Move =>
  async (story, pick, choice) => {
    const attempt = anAttempt(story, pick);
    if (attempt !== undefined) await story.write(attempt, () => write(attempt, story, choice));
  };

const MOVES = {
  submit: ({ world }, pick, choice) => world.submit(newTask(pick, choice)),
  async "submit with a slot"(story, pick, choice) {
    const { world } = story;
    const { claim } = await world.submit({ ...newTask(pick, choice), offer: world.offer(one(WORKERS, pick)) });
    if (claim !== undefined) story.claimed(world.attempt(claim));
  },
  async claim(story, pick, choice) {
    const claims = await story.world.claim({
      worker: one(WORKERS, pick) as string,
      personas: PERSONAS,
      free: 1 + (choice % 2),
    });
    for (const claim of claims) story.claimed(claim);
  },
  say: byAttempt((attempt, _, choice) => attempt.append([piece(`${choice} `, choice % 4 > 0)])),
  complete: byAttempt((attempt, { world }, choice) =>
    attempt.complete(choice % 2 === 0 ? world.offer(one(WORKERS, choice)) : undefined),
  ),
  fail: byAttempt((attempt, { world }, choice) =>
    attempt.fail("no", { retryable: choice % 4 > 0, retryAt: world.now + (choice % 3) * 100 }),
  ),
  ask: byAttempt((attempt, _, choice) => attempt.ask("which?", choice % 3 === 0 ? "auth" : "input")),
  "hand back": byAttempt((attempt) => attempt.handBack()),
  async delegate(story, pick, choice) {
    const attempt = anAttempt(story, pick);
    if (attempt !== undefined) await story.delegate(attempt, choice, false);
  },
  async "delegate and park"(story, pick, choice) {
    const attempt = anAttempt(story, pick);
    if (attempt !== undefined) await story.delegate(attempt, choice, true);
  },
  async await(story, pick, choice) {
    const attempt = anAttempt(story, pick);
    if (attempt === undefined) return;
    const children = (await story.world.tenant.children(attempt.id)).map(({ id }) => id);
    if (children.length > 0)
      await story.write(attempt, () => attempt.await(choice % 2 === 0 ? children : children.slice(-1)));
  },
  async "await what others delegated"(story, pick, choice) {
    const attempt = anAttempt(story, pick);
    const delegated = (await story.tasks()).filter(({ parentId, id }) => parentId !== null && id !== attempt?.id);
    const other = one(delegated, choice);
    if (attempt !== undefined && other !== undefined) await story.write(attempt, () => attempt.await([other.id]));
  },
  async answer(story, pick) {
    const asking = await story.unfinished(({ waitingFor }) => waitingFor === "input" || waitingFor === "auth");
    const task = one(asking, pick);
    if (task === undefined) return;
    const { answeredId } = await story.world.answer(task.id, "that one");
    expect(answeredId).toBe(task.askingChildId ?? task.id);
  },
  async cancel(story, pick) {
    const task = one(await story.unfinished(), pick);
    if (task !== undefined) expect((await story.world.cancel(task.id)).canceledIds[0]).toBe(task.id);
  },
  async "retry a dead letter"(story, pick) {
    const { items } = await story.world.ledger.system.deadLetters({ limit: 100 });
    const dead = one(items, pick);
    if (dead === undefined) return;
    const retried = story.world.retryDead(dead.task.id);
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

/** What makes the world more interesting happens more often. */
const WEIGHTS: Partial<Record<keyof typeof MOVES, number>> = {
  submit: 2,
  claim: 6,
  complete: 2,
  ask: 4,
  answer: 3,
  "delegate and park": 6,
  await: 4,
  "await what others delegated": 2,
};
const names = Object.keys(MOVES) as (keyof typeof MOVES)[];
const move = fc.record({
  name: fc.constantFrom(...names.flatMap((name) => Array.from({ length: WEIGHTS[name] ?? 1 }, () => name))),
  pick: fc.nat(1000),
  choice: fc.nat(1000),
});
