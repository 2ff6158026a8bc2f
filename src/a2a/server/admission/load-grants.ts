import { type Grant, type GrantStore, grantState } from "../../../plans/grant.js";
import { differsFrom } from "../../../plans/grant-object.js";
import type { PlanStore } from "../../../plans/plan-store.js";
import { fileRefused } from "../../../shared/owner-json.js";
import type { ListenerFile } from "./listener-file.js";

/** A grant that is in force, and the persona that does the work. */
export interface ServedGrant {
  grant: Grant;
  persona: string;
}

export interface LoadedGrants {
  served: ServedGrant[];
  /** Those of the file that let nobody in any more: no reason not to start. */
  ended: Grant[];
}

/**
 * Holds the grants of the file against those of the ledger. One that nobody made, or that was changed after somebody looked
 * at it, is not passed over: the file is not what the operator takes it for.
 */
export async function loadGrants(
  path: string,
  { grants }: ListenerFile,
  stores: { grants: GrantStore; plans: PlanStore },
  now: number,
): Promise<LoadedGrants> {
  const loaded: LoadedGrants = { served: [], ended: [] };
  for (const [at, object] of grants.entries()) {
    const { id, assignment } = object;
    const grant = await stores.grants.find(id);
    if (grant === null) {
      throw fileRefused(
        path,
        `cannot be taken: grants[${at}] has the id ${JSON.stringify(id)}, which this ledger does not know`,
        `take it out, and make one with nuncio a2a grant --assignment ${assignment} …`,
      );
    }
    const field = differsFrom(object, grant);
    if (field !== null) {
      throw fileRefused(
        path,
        `cannot be taken: grants[${at}].${field} is not what was granted`,
        `put it in as it was printed; nuncio a2a grants --json shows what grant ${id} says`,
      );
    }
    const found = await stores.plans.assignment(grant.assignmentId);
    const state = grantState(grant, now);
    if (state === "revoked" || state === "expired" || found?.assignment.assignee.runtime !== "native") {
      loaded.ended.push(grant);
    } else loaded.served.push({ grant, persona: found.assignment.assignee.persona });
  }
  return loaded;
}
