import type { Approval, ApprovalInbox } from "../../../tasks/approval-ledger.js";
import type { Page } from "../../../tasks/ledger.js";
import { all, type Command, type Steps } from "../../sql/command.js";
import { sql } from "../../sql/statement.js";
import { decodeCursor, encodeCursor } from "../cursor.js";
import { findTenant } from "../list-tasks.js";
import { APPROVAL_COLUMNS, type ApprovalRow, toApproval } from "./approval-row.js";

const page = (condition: string) =>
  sql<ApprovalRow>(`SELECT ${APPROVAL_COLUMNS} FROM approvals WHERE ${condition} ORDER BY id DESC LIMIT :limit`);

const newest = page("id < :before");
const newestOpen = page("decision IS NULL AND id < :before");
const newestOfTask = page("tenant = :tenant AND task_id = :taskId AND id < :before AND (:all = 1 OR decision IS NULL)");

type ApprovalQuery = Parameters<ApprovalInbox["list"]>[0];

export const listApprovals: (query: ApprovalQuery) => Command<Page<Approval>> = (query) =>
  function* (effects) {
    const { limit } = query;
    // Ids are hexadecimal, so that `~` sorts after all of them.
    const before = query.cursor === undefined ? "~" : decodeCursor(query.cursor);
    const tenant = query.taskId === undefined ? null : yield* findTenant(query.taskId)(effects);
    const rows = yield* read(query, tenant, before);
    const items = rows.slice(0, limit).map(toApproval);
    const last = items.at(-1);
    return { items, nextCursor: rows.length > limit && last !== undefined ? encodeCursor(last.id) : null };
  };

function* read(query: ApprovalQuery, tenant: string | null, before: string): Steps<ApprovalRow[]> {
  const limit = query.limit + 1;
  if (query.taskId === undefined) return yield* all(query.all === true ? newest : newestOpen, { before, limit });
  if (tenant === null) return [];
  return yield* all(newestOfTask, { tenant, taskId: query.taskId, all: query.all === true ? 1 : 0, before, limit });
}
