import type { MessageKey, Walk } from "../../../tasks/retention-ledger.js";
import { all, type Command, run } from "../../sql/command.js";
import { sql } from "../../sql/statement.js";
import { tenantAfter } from "./tenants.js";

const following = sql<{
  persona: string;
  principal: string;
  message_id: string;
  task_id: string;
  at: number;
  alive: string | null;
}>(`SELECT s.persona, s.principal, s.message_id, s.task_id, s.at, t.id AS alive
  FROM submissions s LEFT JOIN tasks t ON t.tenant = s.tenant AND t.id = s.task_id
  WHERE s.tenant = :tenant AND (s.persona, s.principal, s.message_id) > (:persona, :principal, :messageId)
  ORDER BY s.persona, s.principal, s.message_id LIMIT :limit`);

/** Another node may have forgotten it just before, and somebody has sent it again since: that one is young. */
const forget = sql(`DELETE FROM submissions
  WHERE tenant = :tenant AND persona = :persona AND principal = :principal AND message_id = :messageId
    AND task_id = :taskId`);

/** A purge sets the time of the message that made its root, so that the key outlives the task by its whole time. */
export const forgetMessages: (query: Walk<MessageKey>) => Command<{ forgotten: number; next: MessageKey | null }> = ({
  after,
  before,
  limit,
}) =>
  function* () {
    const tenant = after?.tenant ?? (yield* tenantAfter("submissions", ""));
    if (tenant === null) return { forgotten: 0, next: null };
    const { persona, principal, messageId } = after ?? { persona: "", principal: "", messageId: "" };
    const rows = yield* all(following, { tenant, persona, principal, messageId, limit });
    let forgotten = 0;
    for (const row of rows) {
      if (row.alive !== null || row.at > before) continue;
      const key = { persona: row.persona, principal: row.principal, messageId: row.message_id };
      forgotten += yield* run(forget, { tenant, ...key, taskId: row.task_id });
    }
    const last = rows.at(-1);
    if (last !== undefined && rows.length === limit) {
      const next = { persona: last.persona, principal: last.principal, messageId: last.message_id };
      return { forgotten, next: { tenant, ...next } };
    }
    const further = yield* tenantAfter("submissions", tenant);
    const start = { persona: "", principal: "", messageId: "" };
    return { forgotten, next: further === null ? null : { tenant: further, ...start } };
  };
