import type { Grant } from "../../plans/grant.js";
import { notFound } from "../../shared/errors.js";
import { all, one, type Steps } from "../sql/command.js";
import { sql } from "../sql/statement.js";
import { GRANT_COLUMNS, type GrantRow, toGrant } from "./grant-row.js";

const byId = sql<GrantRow>(`SELECT ${GRANT_COLUMNS} FROM grants WHERE id = :id`);
const byTask = sql<GrantRow>(`SELECT ${GRANT_COLUMNS} FROM grants WHERE tenant = :tenant AND task_id = :taskId`);
const allGrants = sql<GrantRow>(`SELECT ${GRANT_COLUMNS} FROM grants ORDER BY id DESC`);
const ofTenant = sql<GrantRow>(`SELECT ${GRANT_COLUMNS} FROM grants
  WHERE tenant = :tenant AND assignment_id = :assignmentId ORDER BY id DESC`);

/** An id says nothing of its tenant: it comes from the operator, or from what the operator wrote. */
export function* findGrant(id: string): Steps<Grant | null> {
  const row = yield* one(byId, { id });
  return row === undefined ? null : toGrant(row);
}

export function* findGrantOfTask(tenant: string, taskId: string): Steps<Grant | null> {
  const row = yield* one(byTask, { tenant, taskId });
  return row === undefined ? null : toGrant(row);
}

export function* listGrants(): Steps<Grant[]> {
  return (yield* all(allGrants, {})).map(toGrant);
}

export function* grantsOfAssignment(tenant: string, assignmentId: string): Steps<Grant[]> {
  return (yield* all(ofTenant, { tenant, assignmentId })).map(toGrant);
}

export const noSuchGrant = (id: string) => notFound("grant", id, "`nuncio a2a grants` shows the grants");
