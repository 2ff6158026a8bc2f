import { refuseInadmissible } from "../../plans/admissible.js";
import { type Grant, grantState, type NewGrant } from "../../plans/grant.js";
import { NuncioError, notFound } from "../../shared/errors.js";
import { findAssigned, holdPlan, requireAssignment } from "../plans/find-plan.js";
import { all, type Command, run, type Steps } from "../sql/command.js";
import { lockCredential } from "../sql/locks.js";
import { sql } from "../sql/statement.js";
import { findGrant } from "./find-grant.js";
import { GRANT_COLUMNS, type GrantRow, toGrant } from "./grant-row.js";

const insertGrant =
  sql(`INSERT INTO grants (tenant, id, peer, plan_id, assignment_id, generation, interface_tenant, skill,
    peer_client, credential_digest, created_at, expires_at)
  VALUES (:tenant, :id, :peer, :planId, :assignmentId, :generation, :interfaceTenant, :skill, :peerClient,
    :credentialDigest, :createdAt, :expiresAt)`);
/** In any tenant: whoever shows the credential says nothing else of who is meant. */
const withCredential = sql<GrantRow>(`SELECT ${GRANT_COLUMNS} FROM grants WHERE credential_digest = :credentialDigest`);

export const makeGrant: (command: NewGrant) => Command<Grant> = (command) =>
  function* () {
    const { id, assignmentId, credentialDigest } = command;
    const place = yield* findAssigned(assignmentId);
    if (place === null) throw notFound("assignment", assignmentId, "`nuncio team list` shows the planned tasks");
    const { tenant, id: planId } = place.plan;
    const plan = yield* holdPlan(tenant, planId);
    const assignment = yield* requireAssignment(tenant, planId, assignmentId);
    refuseInadmissible(plan, assignment);
    yield* lockCredential(credentialDigest);
    yield* refuseCredentialInUse(command);
    const { peer, interfaceTenant, skill, peerClient, createdAt, expiresAt } = command;
    yield* run(insertGrant, {
      ...{ tenant, id, peer, planId, assignmentId, interfaceTenant, skill, peerClient, credentialDigest },
      ...{ generation: assignment.generation, createdAt, expiresAt },
    });
    return (yield* findGrant(id)) as Grant;
  };

/**
 * A credential says who somebody is, so it is one peer's for ever; and of two open grants nobody could say which one it
 * spends.
 */
function* refuseCredentialInUse({ peer, credentialDigest, createdAt }: NewGrant): Steps<void> {
  for (const row of yield* all(withCredential, { credentialDigest })) {
    const other = toGrant(row);
    const hint = `make one for it alone: nuncio a2a credential ${peer} --file FILE`;
    if (other.peer !== peer) throw inUse(`the credential was granted to peer ${other.peer} before`, hint);
    if (grantState(other, createdAt) === "open") {
      throw inUse(`grant ${other.id} is open and has this credential`, `nuncio a2a revoke ${other.id}, or ${hint}`);
    }
  }
}

const inUse = (what: string, hint: string): NuncioError =>
  new NuncioError("conflict", what, { field: "credentialFile", reason: "CREDENTIAL_IN_USE", hint });
