import { run, type Steps } from "../sql/command.js";
import { sql } from "../sql/statement.js";

const raise = sql(
  "UPDATE plans SET revision = revision + 1, updated_at = :now WHERE tenant = :tenant AND id = :planId",
);

/** By whoever holds the row, after the last refusal. */
export function* raiseRevision(tenant: string, planId: string, now: number): Steps<void> {
  yield* run(raise, { tenant, planId, now });
}
