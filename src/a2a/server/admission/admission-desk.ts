import { peerPrincipal } from "../../../access/principal.js";
import type { Assignment } from "../../../plans/assignment.js";
import { type Grant, type GrantStore, grantState, type PeerClient } from "../../../plans/grant.js";
import type { PlannedTask } from "../../../plans/plan.js";
import type { PlanStore } from "../../../plans/plan-store.js";
import type { Clock } from "../../../shared/clock.js";
import { NuncioError } from "../../../shared/errors.js";
import type { Submit, Submitted, TaskLedger } from "../../../tasks/ledger.js";
import type { Message } from "../../../tasks/message.js";
import { unauthenticated } from "../refusals.js";

export interface AdmissionDeskParts {
  grants: GrantStore;
  plans: PlanStore;
  ledger: TaskLedger;
  clock: Clock;
  /** What is submitted for a run of the assignment: `PlannedTasks.submission`. */
  submission(
    planned: PlannedTask,
    assignment: Assignment,
    work: { now: number; said: { by: string; text: string } },
  ): Promise<Submit>;
  /** A peer's words as text. */
  textOf(message: Message): string;
  /** Whether the persona is at work here. */
  hosts(tenant: string, persona: string): boolean;
  /** Told of each message that has spent a grant. */
  onAdmitted(grant: Grant, taskId: string): void;
  /** Told of what keeps a grant from being spent, which is for the operator to know and not for the peer. */
  onInadmissible(grant: Grant, error: NuncioError): void;
}

/** A message as it arrived. */
export interface Arrival {
  message: Message;
  bodyHash: string;
  contextId: string | null;
  /** Delegations that the peer has behind it, as it says. */
  hop: number;
  /** Of the request. */
  bytes: number;
  peerClient: PeerClient | null;
}

/** Where grants are spent. */
export class AdmissionDesk {
  readonly #parts: AdmissionDeskParts;

  constructor(parts: AdmissionDeskParts) {
    this.#parts = parts;
  }

  /**
   * Admits a message, once: repeated, it gives the task that it made.
   *
   * @throws NuncioError in words for the peer
   */
  async admit(grant: Grant, arrival: Arrival): Promise<Submitted> {
    const { ledger, onAdmitted } = this.#parts;
    const { taskId, created } = await this.#spend(grant, arrival).catch((error) => {
      throw NuncioError.is(error) ? this.#forPeer(grant, error) : error;
    });
    if (created) onAdmitted(grant, taskId);
    const task = await ledger.forTenant(grant.tenant).task(taskId);
    if (task === null) throw purged(taskId);
    return { task, created };
  }

  /** The grant that a task was made by; null for every other task. */
  grantOf(tenant: string, taskId: string): Promise<Grant | null> {
    return this.#parts.grants.ofTask(tenant, taskId);
  }

  async #spend(grant: Grant, arrival: Arrival): Promise<{ taskId: string; created: boolean }> {
    const { grants, plans, submission, textOf, hosts, clock } = this.#parts;
    const { id, peer, assignmentId } = grant;
    const { message, bodyHash, contextId, hop, bytes, peerClient } = arrival;
    const now = clock.now();
    const known = await grants.find(id);
    // The usual repetition: nothing is prepared for it. Everything else is decided where the grant is held.
    if (known !== null && grantState(known, now) === "spent" && isOf(known, arrival)) {
      return { taskId: known.spent?.taskId as string, created: false };
    }
    const found = await plans.assignment(assignmentId);
    const { assignee } = found?.assignment ?? {};
    if (found === null || assignee?.runtime !== "native") throw notThere("its assignment is not there any more");
    if (!hosts(grant.tenant, assignee.persona)) throw notThere(`persona ${assignee.persona} is not hosted here`);
    const said = { by: `peer ${peer}`, text: textOf(message) };
    const submit = await submission(found.plan, found.assignment, { now, said });
    return grants.spend({
      ...{ id, messageId: message.messageId, bodyHash, peerContextId: contextId, bytes, peerClient, now },
      run: { submit: { ...submit, principal: peerPrincipal(peer).subject, hop } },
    });
  }

  /** How the work is prepared, and why it cannot be had now, is between the operator and us. */
  #forPeer(grant: Grant, error: NuncioError): NuncioError {
    if (error.reason === "MESSAGE_ID_CONFLICT" || error.reason === "GRANT_SPENT") return error;
    if (error.reason === "GRANT_EXPIRED" || error.reason === "GRANT_REVOKED") return unauthenticated();
    this.#parts.onInadmissible(grant, error);
    if (error.retryable) return new NuncioError("unavailable", "the work cannot be taken at the moment");
    return new NuncioError("failed_precondition", "the work is not to be had as it was prepared", {
      reason: "NEEDS_OPERATOR",
      hint: "only the operator of this agent can tell why",
    });
  }
}

const isOf = ({ spent }: Grant, { message, bodyHash }: Arrival): boolean =>
  spent?.messageId === message.messageId && spent.bodyHash === bodyHash;

const notThere = (what: string): NuncioError => new NuncioError("unavailable", what);

const purged = (taskId: string): NuncioError =>
  new NuncioError("not_found", "the task of this message has ended and was purged", {
    reason: "TASK_PURGED",
    details: { taskId },
  });
