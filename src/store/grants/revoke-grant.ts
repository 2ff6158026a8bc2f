import type { Grant } from "../../plans/grant.js";
import { holdPlan } from "../plans/find-plan.js";
import { type Command, run } from "../sql/command.js";
import { sql } from "../sql/statement.js";
import { findGrant, noSuchGrant } from "./find-grant.js";

const revoke = sql(`UPDATE grants SET revoked_at = COALESCE(revoked_at, :now) WHERE tenant = :tenant AND id = :id`);

/** Whoever spends the grant at the same time does so before or after it, since both hold the planned task. */
export const revokeGrant: (command: { id: string; now: number }) => Command<Grant> = ({ id, now }) =>
  function* (effects) {
    const grant = yield* findGrant(id);
    if (grant === null) throw noSuchGrant(id);
    yield* holdPlan(grant.tenant, grant.planId);
    yield* run(revoke, { tenant: grant.tenant, id, now });
    effects.keyRevoked(id);
    return (yield* findGrant(id)) as Grant;
  };
