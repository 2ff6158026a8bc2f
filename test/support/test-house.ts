import { setImmediate } from "node:timers/promises";
import type { Outbound } from "../../src/outbound/outbound.js";
import type { Persona } from "../../src/personas/persona.js";
import { PersonaRegistry } from "../../src/personas/registry.js";
import { NuncioError } from "../../src/shared/errors.js";
import type { Approval } from "../../src/tasks/approval-ledger.js";
import type { Attempt, NewChild } from "../../src/tasks/attempt.js";
import { applyEvent, emptyFold, type Folded, snapshotOf } from "../../src/tasks/fold.js";
import type { JournalStep, NewStep } from "../../src/tasks/journal.js";
import type { AttemptRecord, Submitted, TaskLedger } from "../../src/tasks/ledger.js";
import type { Message } from "../../src/tasks/message.js";
import type { Progress, RunJournal, RunOutcome, ToolBox } from "../../src/tasks/runner.js";
import type { Task, TaskSnapshot } from "../../src/tasks/task.js";
import type { TaskEvent, TaskFact } from "../../src/tasks/task-event.js";
import type { TaskState } from "../../src/tasks/task-state.js";
import type { ApprovalDesk } from "../../src/tools/approval-gate.js";
import { hostTools, ToolCatalog } from "../../src/tools/catalog.js";
import type { Channel } from "../../src/tools/channels/channel.js";
import type { DelegationLimits } from "../../src/tools/delegation-guard.js";
import { toolBoxFactory } from "../../src/tools/tool-box.js";
import { NOTHING_OUTSIDE } from "./nothing-outside.js";

/**
 * For unit tests of tools and runtimes: tasks whose record is an array, and attempts that can die between any two
 * things they do. Only what a run and its tools use is there.
 */
export class TestHouse {
  now = 1_700_000_000_000;
  readonly clock = { now: () => this.now };
  readonly personas: PersonaRegistry;
  readonly limits: DelegationLimits;
  readonly tasks = new Map<string, TestTask>();
  /** Every transaction that was committed. */
  commits = 0;
  /** Set to let the next delegation be refused in its transaction. */
  refuseNext: NuncioError | undefined;
  readonly ledger: TaskLedger;
  readonly catalog: ToolCatalog;
  readonly channels: Channel[] = [];
  /** The way out, where a test makes one. */
  outbound: () => Promise<Pick<Outbound, "fetch">> = NOTHING_OUTSIDE.outbound;
  /** What has been asked, by task, call and digest. */
  readonly approvals = new Map<string, Approval>();

  constructor(personas: readonly Persona[], limits: Partial<DelegationLimits> = {}) {
    this.personas = new PersonaRegistry(personas);
    this.limits = { ...DEFAULT_LIMITS, ...limits };
    const find = async (tenant: string, id: string) => {
      // As with a real database, timers may fire meanwhile.
      await setImmediate();
      const task = this.tasks.get(id);
      return task === undefined || task.row.tenant !== tenant ? null : task.snapshot();
    };
    this.ledger = {
      forTenant: (tenant: string) => ({
        task: (id: string) => find(tenant, id),
        snapshot: (id: string) => find(tenant, id),
        approvals: {
          find: async ({ taskId, callId, digest }: { taskId: string; callId: string; digest: string }) =>
            this.approvals.get([taskId, callId, digest].join("/")) ?? null,
        },
      }),
    } as unknown as TaskLedger;
    this.catalog = new ToolCatalog(hostTools(this));
  }

  /** What the tool box asks the operator with. */
  get desk(): ApprovalDesk {
    return { ledger: this.ledger, clock: this.clock, expireAfterMs: 60_000 };
  }

  task(persona: string, text: string | Message, row: Partial<Omit<Task, "persona">> = {}): TestTask {
    const message: Message = typeof text === "string" ? { messageId: "m1", role: "user", parts: [{ text }] } : text;
    const task = new TestTask(this, { ...row, id: row.id ?? `task-${this.tasks.size + 1}`, persona }, message);
    this.tasks.set(task.row.id, task);
    return task;
  }

  /** The task that a run has delegated, by its place in the order of submission. */
  child(index = 0): TestTask {
    const child = [...this.tasks.values()].filter(({ row }) => row.parentId !== null)[index];
    if (child === undefined) throw new Error(`nothing has been delegated ${index + 1} times`);
    return child;
  }

  get children(): TestTask[] {
    return [...this.tasks.values()].filter(({ row }) => row.parentId !== null);
  }
}

export const DEFAULT_LIMITS: DelegationLimits = {
  maxHops: 4,
  maxConcurrentPerTarget: 1,
  maxAttempts: 3,
  maxChildrenPerTask: 20,
  maxTasksPerRoot: 200,
  maxTokensPerRoot: 1_000_000,
};

export const testPersona = (name: string, persona: Partial<Persona> = {}): Persona => ({
  name,
  tenant: "default",
  description: `the ${name}`,
  visibility: "private",
  maxConcurrent: 2,
  skills: [],
  capabilities: { allow: ["persona.send:*"], requireApproval: [] },
  streaming: true,
  push: true,
  extendedCard: true,
  followUps: true,
  runtime: { type: "scripted", rules: [] },
  ...persona,
});

/** A task and its durable record. */
export class TestTask {
  readonly house: TestHouse;
  readonly row: Task;
  readonly messages: Message[];
  readonly facts: TaskFact[] = [];
  readonly steps: JournalStep[] = [];
  submission: NewChild | undefined;

  constructor(
    house: TestHouse,
    row: { id: string; persona: string } & Partial<Omit<Task, "id" | "persona">>,
    message: Message,
  ) {
    this.house = house;
    this.messages = [message];
    this.row = {
      tenant: "default",
      contextId: "context-1",
      principal: "user:alice",
      trigger: "a2a",
      state: "pending",
      waitingFor: null,
      askingChildId: null,
      parentId: null,
      rootId: row.id,
      hop: 0,
      turn: 1,
      attempt: 0,
      seq: 0,
      retryOf: null,
      runAt: 0,
      inputTokens: 0,
      outputTokens: 0,
      createdAt: house.now,
      updatedAt: house.now,
      ...row,
    };
    this.facts.push({ type: "message", message });
  }

  snapshot(): TaskSnapshot {
    const folded: Folded = emptyFold();
    for (const [index, fact] of this.facts.entries()) {
      applyEvent(folded, { ...fact, seq: index + 1, at: this.house.now } as TaskEvent);
    }
    return snapshotOf(this.row, { ...folded, state: this.row.state, waitingFor: this.row.waitingFor });
  }

  /** What readers have been told, without numbers and times. */
  get announced(): TaskFact[] {
    return this.facts.slice(1);
  }

  move(state: TaskState, text?: string): void {
    this.row.state = state;
    this.row.waitingFor = null;
    const message: Message = { messageId: `${this.row.id}:${state}`, role: "agent", parts: [{ text: text ?? "" }] };
    this.facts.push({ type: "status", state, ...(text === undefined ? {} : { message }) });
  }

  complete(text: string): void {
    this.facts.push({
      type: "artifact",
      artifact: { artifactId: "result", parts: [{ text }] },
      append: false,
      lastChunk: true,
    });
    this.move("completed");
  }

  ask(waitingFor: "input" | "auth", text: string): void {
    this.move("waiting", text);
    this.row.waitingFor = waitingFor;
  }

  answer(text: string): void {
    const message: Message = { messageId: `m${this.messages.length + 1}`, role: "user", parts: [{ text }] };
    this.messages.push(message);
    this.facts.push({ type: "message", message });
    this.move("pending");
  }

  /** Begins an attempt; one that wakes from a park does not count. */
  attempt(options: { counts?: boolean; diesAt?: number } = {}): TestAttempt {
    if (options.counts !== false) this.row.attempt += 1;
    this.row.state = "processing";
    return new TestAttempt(this, options.diesAt ?? Number.POSITIVE_INFINITY);
  }
}

/** Thrown where the process would have died. What was not committed is gone. */
export class Died extends Error {}

export class TestAttempt implements Attempt {
  readonly task: TaskSnapshot;
  readonly message: Message;
  readonly turn: number;
  readonly lease;
  readonly journal: RunJournal;
  readonly tools: ToolBox;
  parked: { until: number } | undefined;
  readonly #of: TestTask;
  readonly #abort = new AbortController();
  #facts: TaskFact[] = [];
  #noted: JournalStep[] = [];
  readonly #note: (step: NewStep) => JournalStep;
  #unlessOver: NewStep | undefined;
  #text = 0;
  #over = false;
  #life: number;

  constructor(of: TestTask, life: number) {
    this.#of = of;
    this.#life = life;
    this.task = of.snapshot();
    this.turn = of.messages.length;
    this.message = of.messages.at(-1) as Message;
    this.lease = { tenant: this.task.tenant, taskId: this.task.id, owner: "test", fence: this.task.attempt };
    const known = [...of.steps];
    const note = ({ kind, key, data }: NewStep): JournalStep => {
      this.#live();
      // What is recorded is JSON: nothing that a runtime keeps in it may be more.
      const json = JSON.parse(JSON.stringify(data));
      const step = { step: known.length + 1, turn: this.turn, kind, key, data: json, at: of.house.now };
      known.push(step);
      this.#noted.push(step);
      return step;
    };
    this.#note = note;
    this.journal = {
      steps: known,
      find: (kind, key) => known.findLast((s) => s.turn === this.turn && s.kind === kind && s.key === key),
      note,
      noteUnlessOver: (step) => {
        this.#unlessOver = step;
      },
      record: async (step) => {
        const noted = note(step);
        this.commit();
        return noted;
      },
    };
    this.tools = toolBoxFactory(of.house.catalog, of.house.personas, of.house.desk)(this);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get stopped(): boolean {
    return this.#abort.signal.aborted;
  }

  abort(): void {
    this.#abort.abort();
  }

  countTokens(): void {}

  emit(progress: Progress): void {
    this.#live();
    this.#facts.push(progress.type === "status" ? { ...progress, state: "processing" } : progress);
    this.#text += JSON.stringify(progress).length;
    if (this.#text > 2048) this.commit();
    else void setImmediate().then(() => this.#commitByTimer());
  }

  #commitByTimer(): void {
    if (this.#facts.length === 0 || this.#over) return;
    try {
      this.commit();
    } catch (error) {
      if (!(error instanceof Died)) throw error;
    }
  }

  takeRecord(over = false): AttemptRecord {
    if (this.#unlessOver !== undefined && !over) this.#note(this.#unlessOver);
    this.#unlessOver = undefined;
    const record = {
      lease: this.lease,
      now: this.#of.house.now,
      start: false,
      facts: this.#facts,
      steps: this.#noted,
      inputTokens: 0,
      outputTokens: 0,
    };
    this.#facts = [];
    this.#noted = [];
    this.#text = 0;
    return record;
  }

  /** Makes the buffer durable. */
  commit(over = false): void {
    this.#live();
    const { facts, steps } = this.takeRecord(over);
    this.#of.facts.push(...facts);
    this.#of.steps.push(...steps);
    this.#of.house.commits += 1;
  }

  async delegate(child: NewChild): Promise<Submitted> {
    await Promise.resolve();
    const { house } = this.#of;
    const refusal = house.refuseNext;
    if (refusal !== undefined) {
      house.refuseNext = undefined;
      throw refusal;
    }
    const known = house.tasks.get(child.id);
    if (known !== undefined && known.submission?.bodyHash !== child.bodyHash) {
      throw new NuncioError("conflict", "the same id with another body");
    }
    this.commit();
    const task =
      known ??
      house.task(child.persona, child.message, {
        id: child.id,
        contextId: child.contextId,
        principal: child.principal,
        trigger: "delegation",
        parentId: this.task.id,
        rootId: this.task.rootId,
        hop: this.task.hop + 1,
      });
    task.submission ??= child;
    if (child.park === undefined) return { task: task.row, created: known === undefined };
    this.parked = child.park;
    this.#of.row.state = "waiting";
    this.#of.row.waitingFor = "reply";
    return { task: task.row, created: known === undefined, parked: true };
  }

  /** Ends the attempt as a worker would; the buffer becomes durable with the outcome. */
  settle(outcome: RunOutcome): void {
    if (outcome.type !== "parked") this.commit(outcome.type === "completed" || outcome.type === "rejected");
    this.#over = true;
    if (outcome.type === "completed") this.#of.row.state = "completed";
  }

  /** Counts what the run does, and dies when its time has come. */
  #live(): void {
    if (this.#over || this.#life <= 0) throw new Died("the process died");
    this.#life -= 1;
  }
}
