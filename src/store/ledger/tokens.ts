import { one, type Steps } from "../sql/command.js";
import { sql } from "../sql/statement.js";

const ofTree = sql<{ tokens: number }>(`SELECT CAST(
    COALESCE((SELECT input_tokens + output_tokens FROM tasks WHERE tenant = :tenant AND id = :rootId), 0)
    + COALESCE((SELECT sum(input_tokens + output_tokens) FROM tasks
        WHERE tenant = :tenant AND root_id = :rootId AND parent_id IS NOT NULL), 0) AS BIGINT) AS tokens`);

/** Model tokens that are recorded for the root and everything under it: a tree is as large as `maxTasksPerRoot` lets it. */
export function* tokensOfRoot(tenant: string, rootId: string): Steps<number> {
  return (yield* one(ofTree, { tenant, rootId }))?.tokens ?? 0;
}
