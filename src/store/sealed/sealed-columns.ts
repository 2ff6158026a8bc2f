import { sealPurpose } from "../../access/agent-tokens/signing-key.js";
import { pushSealPurpose } from "../../tasks/push-ledger.js";
import { type Statement, sql } from "../sql/statement.js";

export interface SealedColumn {
  table: string;
  /** Of the primary key, in their order. */
  key: readonly string[];
  page: Statement<Record<string, string>>;
  replace: Statement;
  /** What the text in a row was sealed for; whoever seals it says the same. */
  purpose(key: readonly string[]): string;
}

/** Every column with sealed texts. What is not here would be lost with the key that it was sealed with. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  sealedColumn("push_subscriptions", ["tenant", "task_id", "id"], "sealed", ([tenant = "", taskId = "", id = ""]) =>
    pushSealPurpose({ tenant, taskId, id }),
  ),
  sealedColumn("signing_keys", ["tenant", "agent", "kid"], "sealed", ([tenant = "", name = "", kid = ""]) =>
    sealPurpose({ tenant, name, kid }),
  ),
];

function sealedColumn(
  table: string,
  key: readonly string[],
  column: string,
  purpose: (key: readonly string[]) => string,
): SealedColumn {
  const names = key.map((_, at) => `:key${at}`);
  return {
    table,
    key,
    page: sql(`SELECT ${key.join(", ")}, ${column} AS sealed FROM ${table}
      WHERE (${key.join(", ")}) > (${names.join(", ")}) AND ${column} IS NOT NULL
      ORDER BY ${key.join(", ")} LIMIT :limit`),
    replace: sql(`UPDATE ${table} SET ${column} = :anew
      WHERE ${key.map((name, at) => `${name} = :key${at}`).join(" AND ")} AND ${column} = :sealed`),
    purpose,
  };
}
