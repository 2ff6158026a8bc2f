import { applyEvent, emptyFold, snapshotOf } from "../../tasks/fold.js";
import type { Claim, ClaimOffer, Submit, Submitted } from "../../tasks/ledger.js";
import type { Message } from "../../tasks/message.js";
import type { Task } from "../../tasks/task.js";
import type { TaskFact } from "../../tasks/task-event.js";
import { type Effects, run, type Steps } from "../sql/command.js";
import { sql } from "../sql/statement.js";
import { appendEvents } from "./append-events.js";
import { isOldest } from "./claim.js";
import { laneIsTaken } from "./lane.js";
import { TASK_COLUMNS, type TaskRow, toTask } from "./task-row.js";

/** What a child inherits. */
export interface Parent {
  id: string;
  rootId: string;
  hop: number;
}

const insertTask = sql<TaskRow>(`INSERT INTO tasks (${TASK_COLUMNS})
  VALUES (:tenant, :id, :contextId, :persona, :principal, :trigger, :state, NULL, NULL,
    :parentId, :rootId, :hop, 1, :lane, :blocked, :attempt, :maxAttempts, 0, :attempt, :owner, :clock + :leaseMs, :now,
    NULL, 1, :retryOf, 0, 0, :now, :now)`);

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
  const claimed = offer !== null;
  const row: TaskRow = {
    tenant,
    id,
    context_id: command.contextId,
    persona: command.persona,
    principal: command.principal,
    trigger_kind: command.trigger,
    state: claimed ? "claimed" : "pending",
    waiting_for: null,
    asking_child_id: null,
    parent_id: parent?.id ?? null,
    root_id: parent?.rootId ?? id,
    hop: parent?.hop ?? command.hop ?? 0,
    turn: 1,
    lane: command.lane,
    blocked: blocked ? 1 : 0,
    attempt: claimed ? 1 : 0,
    max_attempts: command.maxAttempts,
    resuming: 0,
    fence: claimed ? 1 : 0,
    lease_owner: offer?.owner ?? null,
    lease_until: null,
    run_at: now,
    wake_at: null,
    seq: 1,
    retry_of: retryOf,
    input_tokens: 0,
    output_tokens: 0,
    created_at: now,
    updated_at: now,
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
    leaseMs: offer?.leaseMs ?? null,
    retryOf,
    now,
  });
  const message: TaskFact = { type: "message", message: command.message };
  yield* appendEvents(row, [message], now, effects);
  const task = toTask(row);
  return claimed ? { task, created: true, claim: freshClaim(row, task, command.message) } : { task, created: true };
}

/** The claim of a task that was created a moment ago: all of it is known without reading it back. */
function freshClaim(row: TaskRow, task: Task, message: Message): Claim {
  const folded = emptyFold();
  applyEvent(folded, { type: "message", message, seq: 1, at: row.created_at });
  folded.state = row.state;
  return {
    lease: { tenant: row.tenant, taskId: row.id, owner: row.lease_owner as string, fence: row.fence },
    snapshot: snapshotOf(task, folded),
    journal: [],
    maxAttempts: row.max_attempts,
  };
}
