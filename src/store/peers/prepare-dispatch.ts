import type { NewDispatch } from "../../plans/plan-store.js";
import { NuncioError } from "../../shared/errors.js";
import { one, run, type Steps } from "../sql/command.js";
import { lockPeer } from "../sql/locks.js";
import { sql } from "../sql/statement.js";
import { addReceipt } from "./add-receipt.js";

/** Of all tenants: a peer is one agent, whoever gives it work. */
const held = sql<{ count: number }>("SELECT count(*) AS count FROM dispatches WHERE peer = :peer AND holds_slot = 1");

const insertDispatch = sql(`INSERT INTO dispatches (tenant, task_id, run_id, peer, plan_id, assignment_id, revision,
    pin_digest, state, deadline_at, holds_slot, created_at, updated_at)
  VALUES (:tenant, :taskId, :runId, :peer, :planId, :assignmentId, 1, :pinDigest, 'prepared', :deadlineAt, 1, :now, :now)`);

/** The task that the peer is to work on, which this very transaction makes. */
export interface PreparedChild {
  tenant: string;
  taskId: string;
  planId: string;
  assignmentId: string;
}

/**
 * Takes a slot of the peer and notes what is to be sent, before anything is. It begins with the lock of the peer, so
 * that two that come at the same time cannot both get the last slot.
 *
 * @throws NuncioError limit_reached PEER_BUSY
 */
export function* prepareDispatch(child: PreparedChild, dispatch: NewDispatch, now: number): Steps<void> {
  const { peer, runId, pinDigest, slots, deadlineAt } = dispatch;
  yield* lockPeer(peer);
  const busy = Number((yield* one(held, { peer }))?.count ?? 0);
  if (busy >= slots) throw peerBusy(peer, busy, slots);
  yield* run(insertDispatch, { ...child, runId, peer, pinDigest, deadlineAt, now });
  yield* addReceipt(child, "prepared", { peer, runId, pinDigest, deadlineAt }, now);
}

const peerBusy = (peer: string, busy: number, slots: number): NuncioError =>
  new NuncioError("limit_reached", `peer ${peer} has ${busy} of ${slots} slots in use`, {
    reason: "PEER_BUSY",
    retryable: true,
    hint: "work that may still go on there keeps its slot: `nuncio a2a peers` shows how many, and `nuncio a2a reconcile CHILD_ID --run-id RUN_ID` looks at it again",
    details: { peer, busy, slots },
  });
