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

/** A page ends when it holds so much, though there is more: what is asked for may be a whole document each time. */
const MOST_CHARACTERS = 4 * 1024 * 1024;
const AT_ONCE = 20;

type ApprovalQuery = Parameters<ApprovalInbox["list"]>[0];

export const listApprovals: (query: ApprovalQuery) => Command<Page<Approval>> = (query) =>
  function* (effects) {
    const { limit } = query;
    // Ids are hexadecimal, so that `~` sorts after all of them.
    const before = query.cursor === undefined ? "~" : decodeCursor(query.cursor);
    const tenant = query.taskId === undefined ? null : yield* findTenant(query.taskId)(effects);
    const rows: ApprovalRow[] = [];
    let more = true;
    for (let characters = 0; more && rows.length < limit && characters < MOST_CHARACTERS; ) {
      const wanted = Math.min(AT_ONCE, limit - rows.length);
      const read = yield* readPart(query, tenant, rows.at(-1)?.id ?? before, wanted + 1);
      more = read.length > wanted;
      for (const row of read.slice(0, wanted)) {
        rows.push(row);
        characters += row.arguments.length;
      }
    }
    const last = rows.at(-1);
    return { items: rows.map(toApproval), nextCursor: more && last !== undefined ? encodeCursor(last.id) : null };
  };

function* readPart(query: ApprovalQuery, tenant: string | null, before: string, limit: number): Steps<ApprovalRow[]> {
  if (query.taskId === undefined) return yield* all(query.all === true ? newest : newestOpen, { before, limit });
  if (tenant === null) return [];
  return yield* all(newestOfTask, { tenant, taskId: query.taskId, all: query.all === true ? 1 : 0, before, limit });
}
