import type { GrantStore } from "../../plans/grant.js";
import type { QueueRoom } from "../ledger/queue-room.js";
import { findAssigned } from "../plans/find-plan.js";
import type { Database } from "../sql-ledger.js";
import { findGrant, findGrantOfTask, grantsOfAssignment, listGrants } from "./find-grant.js";
import { makeGrant } from "./make-grant.js";
import { revokeGrant } from "./revoke-grant.js";
import { spendGrant } from "./spend-grant.js";

/** @param room of the ledger on the same database: a grant that is spent takes a place in the queue */
export function sqlGrantStore(
  { write, read, onKeyRevoked, onMissed }: Pick<Database, "write" | "read" | "onKeyRevoked" | "onMissed">,
  room: QueueRoom,
): GrantStore {
  return {
    make: (command) => write(makeGrant(command)),
    find: (id) => read(() => findGrant(id)),
    ofTask: (tenant, taskId) => read(() => findGrantOfTask(tenant, taskId)),
    list: ({ assignmentId }) =>
      read(function* () {
        if (assignmentId === undefined) return yield* listGrants();
        const place = yield* findAssigned(assignmentId);
        return place === null ? [] : yield* grantsOfAssignment(place.plan.tenant, assignmentId);
      }),
    revoke: (command) => write(revokeGrant(command)),
    spend: (command) => write(spendGrant(command, room)),
    // Ids are unique among everything that can be revoked: whoever listens knows which are grants.
    onRevoked: (listener) => onKeyRevoked(listener),
    onMissed: (listener) => onMissed(listener),
  };
}
