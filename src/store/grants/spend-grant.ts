import { refuseInadmissible } from "../../plans/admissible.js";
import { type Grant, type GrantSpent, grantState, type SpendGrant } from "../../plans/grant.js";
import { asDigest } from "../../shared/digest.js";
import { NuncioError } from "../../shared/errors.js";
import { messageIdConflict } from "../ledger/message-ids.js";
import type { QueueRoom } from "../ledger/queue-room.js";
import { addReceipt } from "../peers/add-receipt.js";
import { holdPlan, requireAssignment } from "../plans/find-plan.js";
import { startRun } from "../plans/run-assignment.js";
import { type Command, run } from "../sql/command.js";
import { sql } from "../sql/statement.js";
import { findGrant, grantsOfAssignment, noSuchGrant } from "./find-grant.js";

const spend = sql(`UPDATE grants SET message_id = :messageId, body_hash = :bodyHash, peer_context_id = :peerContextId,
    task_id = :taskId, spent_at = :now
  WHERE tenant = :tenant AND id = :id AND message_id IS NULL AND revoked_at IS NULL AND expires_at > :now`);

/**
 * The row of the planned task is held from the first look on, so that of two messages at the same time one comes after the
 * other, and finds what became of it.
 *
 * A peer that repeats a message gets its task again, also by a renewed grant: that one stays open for a fresh message.
 */
export const spendGrant: (command: SpendGrant, room: QueueRoom) => Command<{ taskId: string; created: boolean }> = (
  command,
  room,
) =>
  function* (effects) {
    const { id, messageId, bodyHash, peerContextId, bytes, peerClient, now } = command;
    const found = yield* findGrant(id);
    if (found === null) throw noSuchGrant(id);
    const { tenant, planId, assignmentId, peer, interfaceTenant, skill } = found;
    const plan = yield* holdPlan(tenant, planId);
    const grants = yield* grantsOfAssignment(tenant, assignmentId);
    const grant = grants.find((one) => one.id === id) as Grant;
    refuseEnded(grant, now);

    const earlier = grants.find((one) => one.peer === peer && one.spent?.messageId === messageId)?.spent;
    if (earlier != null) return repeated(earlier, command);
    if (grant.spent !== null) throw spentBefore(grant);

    const assignment = yield* requireAssignment(tenant, planId, assignmentId);
    refuseInadmissible(plan, assignment);
    const { child } = yield* startRun(
      {
        ...{ tenant, planId, assignmentId, generation: grant.generation, now, grantId: id },
        submit: command.run.submit,
        revision: null,
      },
      room,
      effects,
    );
    const spent = yield* run(spend, { tenant, id, messageId, bodyHash, peerContextId, taskId: child.id, now });
    if (spent !== 1) throw new Error(`grant ${id} was spent while it was held`);
    const bodyDigest = asDigest(bodyHash);
    const facts = {
      grantId: id,
      peer,
      interfaceTenant,
      skill,
      messageId,
      bodyDigest,
      bytes,
      peerContextId,
      peerClient,
    };
    yield* addReceipt({ tenant, taskId: child.id }, "admitted", facts, now);
    return { taskId: child.id, created: true };
  };

function refuseEnded(grant: Grant, now: number): void {
  const state = grantState(grant, now);
  if (state === "revoked" || state === "expired") throw ended(`GRANT_${state.toUpperCase()}`, `the grant is ${state}`);
}

function repeated(spent: GrantSpent, { messageId, bodyHash }: SpendGrant): { taskId: string; created: boolean } {
  if (spent.bodyHash !== bodyHash) throw messageIdConflict(messageId);
  return { taskId: spent.taskId, created: false };
}

const spentBefore = ({ spent }: Grant): NuncioError =>
  ended("GRANT_SPENT", `the grant admits one message, and was spent on ${JSON.stringify(spent?.messageId)}`);

const ended = (reason: string, what: string): NuncioError =>
  new NuncioError("failed_precondition", what, {
    reason,
    hint: "anything further needs a new grant, which only the operator of this agent can give",
  });
