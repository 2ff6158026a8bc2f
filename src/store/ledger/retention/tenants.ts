import { one, type Steps } from "../../sql/command.js";
import { sql } from "../../sql/statement.js";

const next = (table: string) =>
  sql<{ tenant: string | null }>(`SELECT min(tenant) AS tenant FROM ${table} WHERE tenant > :after`);

const NEXT = {
  tasks: next("tasks"),
  journal: next("journal"),
  submissions: next("submissions"),
  push_subscriptions: next("push_subscriptions"),
};

/** The first tenant behind another one that has anything in a table. */
export function* tenantAfter(table: keyof typeof NEXT, after: string): Steps<string | null> {
  return (yield* one(NEXT[table], { after }))?.tenant ?? null;
}
