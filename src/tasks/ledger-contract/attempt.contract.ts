import { derivedId, newId } from "../../shared/ids.js";
import { approvalDigest } from "../approval-digest.js";
import type { NewApproval } from "../approval-ledger.js";
import { approvalMessage } from "../approval-message.js";
import type { DelegationGuards } from "../attempt.js";
import { foldArtifact } from "../fold.js";
import type { JournalStep } from "../journal.js";
import type {
  AttemptRecord,
  Claim,
  ClaimOffer,
  Foreseen,
  Lease,
  QueueBounds,
  Settlement,
  Submitted,
} from "../ledger.js";
import type { Artifact } from "../message.js";
import type { TaskFact } from "../task-event.js";
import { agentSays, userSays } from "./messages.contract.js";
import type { World } from "./world.contract.js";

const NO_GUARDS: DelegationGuards = {
  maxConcurrentPerTarget: 100,
  maxChildrenPerTask: 100,
  maxTasksPerRoot: 100,
  maxTokensPerRoot: 1_000_000,
};

export interface Child extends Partial<DelegationGuards> {
  /** The recorded step that the child's id is derived from: the same step again is the same child. */
  step?: string;
  /** Parks the attempt until the child has ended, or this time. */
  parkUntil?: number;
  offer?: ClaimOffer;
  bounds?: QueueBounds;
  foreseen?: Foreseen;
}

/** What a worker does with a task that it has claimed. It keeps its lease also when the ledger has given it to another. */
export class Attempt {
  readonly claim: Claim;
  readonly lease: Lease;
  readonly #world: World;
  readonly #artifacts: Artifact[];
  #started = false;

  constructor(world: World, claim: Claim) {
    this.#world = world;
    this.claim = claim;
    this.lease = claim.lease;
    this.#artifacts = structuredClone(claim.snapshot.artifacts);
  }

  get id(): string {
    return this.lease.taskId;
  }

  /** A record with these facts and steps; the first one starts the attempt. */
  record(facts: readonly TaskFact[] = [], steps: readonly JournalStep[] = []): AttemptRecord {
    return {
      lease: this.lease,
      now: this.#world.now,
      start: !this.#started,
      facts,
      steps,
      inputTokens: 0,
      outputTokens: 0,
    };
  }

  start = () => this.append([]);

  async append(facts: readonly TaskFact[], steps: readonly JournalStep[] = []): Promise<{ seq: number }> {
    const appended = await this.#world.ledger.system.append(this.record(facts, steps));
    this.#recorded(facts);
    return appended;
  }

  /** Records that a model was paid for. */
  async spend(inputTokens: number, outputTokens: number): Promise<void> {
    await this.#world.ledger.system.append({ ...this.record(), inputTokens, outputTokens });
    this.#recorded([]);
  }

  async settle(outcome: Settlement, over: { facts?: readonly TaskFact[]; offer?: ClaimOffer } = {}) {
    const { facts = [], offer } = over;
    const artifacts = structuredClone(this.#artifacts);
    for (const fact of facts) if (fact.type === "artifact") foldArtifact(artifacts, fact.artifact, fact.append);
    const settled = await this.#world.ledger.system.settle({
      ...this.record(facts),
      outcome,
      artifacts,
      ...(offer === undefined ? {} : { offer }),
    });
    if (outcome.type === "awaiting") this.#world.awaited.set(this.id, outcome.taskIds);
    if (outcome.type === "approval") this.#world.awaited.set(this.id, outcome.taskIds ?? []);
    return settled;
  }

  complete = (offer?: ClaimOffer) => this.settle({ type: "completed" }, offer === undefined ? {} : { offer });

  fail(reason: string, over: { retryable?: boolean; retryAt?: number } = {}) {
    const { retryable = true, retryAt = this.#world.now } = over;
    return this.settle({ type: "failed", message: agentSays(reason), retryable, retryAt });
  }

  ask(question: string, waitingFor: "input" | "auth" = "input") {
    return this.settle({ type: "asked", waitingFor, message: agentSays(question) });
  }

  /** Asks the operator for one call after another of `net_http`, by their ids; each with arguments of its own. */
  askOperator(callIds: readonly string[], over: { expiresIn?: number; taskIds?: readonly string[] } = {}) {
    const { expiresIn = 60_000, taskIds } = over;
    const until = this.#world.now + expiresIn;
    const requests = callIds.map((callId) => netHttp(callId, until));
    const awaited = taskIds === undefined ? {} : { taskIds };
    return this.settle({ type: "approval", requests, until, message: approvalMessage(requests), ...awaited });
  }

  await(taskIds: readonly string[], until = this.#world.now + 60_000) {
    return this.settle({ type: "awaiting", taskIds, until });
  }

  handBack = () => this.settle({ type: "handed_back" });

  /** Delegates to `persona`, as a host tool of this run would. */
  async delegate(persona: string, over: Child = {}): Promise<Submitted> {
    const { step = newId(), parkUntil, offer, bounds, foreseen, ...guards } = over;
    const { rootId, hop, contextId } = this.claim.snapshot;
    const delegation = { from: this.record(), rootId, hop: hop + 1, ...NO_GUARDS, ...guards };
    const submitted = await this.#world.submit({
      id: this.childId(step),
      contextId,
      persona,
      principal: `persona:${this.claim.snapshot.persona}`,
      trigger: "delegation",
      message: userSays("help"),
      delegation: parkUntil === undefined ? delegation : { ...delegation, park: { until: parkUntil } },
      ...(offer === undefined ? {} : { offer }),
      ...(bounds === undefined ? {} : { bounds }),
      ...(foreseen === undefined ? {} : { foreseen }),
    });
    this.#recorded([]);
    if (submitted.parked === true) this.#world.awaited.set(this.id, [submitted.task.id]);
    return submitted;
  }

  /** Derived from when the step was first recorded, so that a later attempt comes to the same id. */
  childId(step: string): string {
    const key = `${this.id} ${step}`;
    const at = this.#world.stepTimes.get(key) ?? this.#world.now;
    this.#world.stepTimes.set(key, at);
    return derivedId(this.id, step, at);
  }

  #recorded(facts: readonly TaskFact[]): void {
    this.#started = true;
    for (const fact of facts) if (fact.type === "artifact") foldArtifact(this.#artifacts, fact.artifact, fact.append);
  }
}

/** A call that the operator has to approve. */
export function netHttp(callId: string, expiresAt: number): NewApproval {
  const args = { url: `https://example.com/${callId}` };
  return { callId, tool: "net_http", arguments: args, digest: approvalDigest("net_http", args), expiresAt };
}

/** A piece of the artifact `result`. */
export const piece = (text: string, append = true): TaskFact => ({
  type: "artifact",
  artifact: { artifactId: "result", parts: [{ text }] },
  append,
  lastChunk: false,
});

export const step = (number: number, key: string, at: number): JournalStep => ({
  step: number,
  turn: 1,
  kind: "tool_result",
  key,
  data: { value: key },
  at,
});
