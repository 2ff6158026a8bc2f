const LOST = `'{"why":"the ledger was restored from a backup: what was sent since is not known here"}'`;

/**
 * What was about to be sent when the backup was made may have been sent since: the work, or an answer of the operator to a
 * peer that has taken it up.
 */
const OPEN = `state IN ('prepared', 'sending') OR (state = 'accepted' AND remote_ended_at IS NULL AND EXISTS (SELECT 1
  FROM tasks t WHERE t.tenant = dispatches.tenant AND t.id = dispatches.task_id AND t.turn > (SELECT max(s.turn)
    FROM dispatch_sends s WHERE s.tenant = dispatches.tenant AND s.task_id = dispatches.task_id)))`;

/**
 * What a ledger must not believe of itself once it is a copy of an earlier day, in SQL of both databases. It may have been
 * overtaken by what it does not know: a grant that is open here may be spent, one that is spent here may have been revoked
 * since, and what is prepared here may be at the peer.
 *
 * @param now ms
 */
export const afterRestore = (now: number): readonly string[] => {
  const at = Math.trunc(now);
  return [
    `UPDATE grants SET revoked_at = ${at} WHERE revoked_at IS NULL`,
    `INSERT INTO receipts (tenant, task_id, number, at, kind, facts)
      SELECT tenant, task_id, COALESCE((SELECT max(r.number) FROM receipts r
        WHERE r.tenant = dispatches.tenant AND r.task_id = dispatches.task_id), 0) + 1, ${at}, 'restored', ${LOST}
      FROM dispatches WHERE ${OPEN}`,
    `UPDATE dispatch_sends SET state = 'unknown', settled_at = ${at}, error = 'the ledger was restored from a backup'
      WHERE state = 'sending'`,
    `UPDATE dispatches SET state = 'unknown', revision = revision + 1, updated_at = ${at} WHERE ${OPEN}`,
  ];
};
