import { applyEvent, emptyFold, snapshotOf } from "../../tasks/fold.js";
import type { Claim, ClaimOffer, Foreseen, Submit, Submitted } from "../../tasks/ledger.js";
import type { TaskSnapshot } from "../../tasks/task.js";
import type { TaskFact } from "../../tasks/task-event.js";
import { next, type TaskState } from "../../tasks/task-state.js";
import { type Effects, run, type Steps } from "../sql/command.js";
import { sql } from "../sql/statement.js";
import { appendEvents } from "./append-events.js";
import { isOldest } from "./claim.js";
import { laneIsTaken } from "./lane.js";
import { STARTED } from "./record-attempt.js";
import { TASK_COLUMNS, type TaskRow, toTask } from "./task-row.js";

/** What a child inherits. */
export interface Parent {
  id: string;
  rootId: string;
  hop: number;
}

const insertTask = sql<TaskRow>(`INSERT INTO tasks (${TASK_COLUMNS}, artifacts)
  VALUES (:tenant, :id, :contextId, :persona, :principal, :trigger, :state, NULL, NULL,
    :parentId, :rootId, :hop, 1, :lane, :blocked, :attempt, :maxAttempts, 0, :attempt, :owner, :clock + :leaseMs, :now,
    NULL, :seq, :retryOf, 0, 0, :now, :now, :now, :started, :unlisted, :artifacts)`);

/** Where a new task begins: with the worker that offers a slot, or in the queue, maybe behind its lane. */
export interface Place {
  offer: ClaimOffer | null;
  blocked: boolean;
}

export function* findPlace(tenant: string, id: string, command: Submit): Steps<Place> {
  const { now, offer } = command;
  const blocked = command.newContext !== true && (yield* laneIsTaken(tenant, command.lane, id));
  const taken =
    offer !== undefined && !blocked && (yield* isOldest({ tenant, persona: command.persona, run_at: now, id }, now));
  return { offer: taken ? offer : null, blocked };
}

/** What is recorded of a task that is done in the transaction that makes it: as much as of any other. */
function storyOf({ facts, outcome }: Foreseen): { state: TaskState; facts: TaskFact[] } {
  const state = next(next(next("pending", "claim"), "start"), ENDINGS[outcome.type]);
  const ended: TaskFact = { type: "status", state };
  if (outcome.message !== undefined) ended.message = outcome.message;
  return { state, facts: [STARTED, ...facts, ended] };
}

const ENDINGS = { completed: "complete", failed: "fail", rejected: "reject" } as const;

/** Writes a new task that nobody has submitted before. */
export function* createTask(
  tenant: string,
  id: string,
  command: Submit,
  { offer, blocked }: Place,
  parent: Parent | null,
  effects: Effects,
  retryOf: string | null = null,
): Steps<Submitted> {
  const { now } = command;
  const foreseen = offer === null ? undefined : command.foreseen;
  const story = foreseen === undefined ? undefined : storyOf(foreseen);
  const attempted = offer !== null;
  const claimed = attempted && story === undefined;
  const facts: TaskFact[] = [{ type: "message", message: command.message }, ...(story?.facts ?? [])];
  const row: TaskRow = {
    tenant,
    id,
    context_id: command.contextId,
    persona: command.persona,
    principal: command.principal,
    trigger_kind: command.trigger,
    state: story?.state ?? (claimed ? "claimed" : "pending"),
    waiting_for: null,
    asking_child_id: null,
    parent_id: parent?.id ?? null,
    root_id: parent?.rootId ?? id,
    hop: parent?.hop ?? command.hop ?? 0,
    turn: 1,
    lane: command.lane,
    blocked: blocked ? 1 : 0,
    attempt: attempted ? 1 : 0,
    max_attempts: command.maxAttempts,
    resuming: 0,
    fence: attempted ? 1 : 0,
    lease_owner: claimed ? offer.owner : null,
    lease_until: null,
    run_at: now,
    wake_at: null,
    seq: facts.length,
    retry_of: retryOf,
    input_tokens: 0,
    output_tokens: 0,
    created_at: now,
    updated_at: now,
    status_at: now,
    started: story === undefined ? 0 : 1,
    unlisted: command.answeredByMessage === true ? 1 : 0,
  };
  yield* run(insertTask, {
    tenant,
    id,
    contextId: row.context_id,
    persona: row.persona,
    principal: row.principal,
    trigger: row.trigger_kind,
    state: row.state,
    parentId: row.parent_id,
    rootId: row.root_id,
    hop: row.hop,
    lane: row.lane,
    blocked: row.blocked,
    attempt: row.attempt,
    maxAttempts: row.max_attempts,
    owner: row.lease_owner,
    leaseMs: claimed ? offer.leaseMs : null,
    seq: row.seq,
    started: row.started,
    unlisted: row.unlisted,
    artifacts: foreseen === undefined ? null : JSON.stringify(foreseen.artifacts),
    retryOf,
    now,
  });
  const events = yield* appendEvents(row, facts, now, effects);
  const task = toTask(row);
  if (!attempted) return { task, created: true };
  const folded = emptyFold();
  for (const event of events) applyEvent(folded, event);
  folded.state = row.state;
  const snapshot = snapshotOf(task, folded);
  return claimed ? { task, created: true, claim: freshClaim(row, snapshot) } : { task, created: true, ended: snapshot };
}

/** The claim of a task that was created a moment ago: all of it is known without reading it back. */
const freshClaim = (row: TaskRow, snapshot: TaskSnapshot): Claim => ({
  lease: { tenant: row.tenant, taskId: row.id, owner: row.lease_owner as string, fence: row.fence },
  snapshot,
  journal: [],
  maxAttempts: row.max_attempts,
});
