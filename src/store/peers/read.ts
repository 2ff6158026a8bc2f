import type { Dispatch, Receipt } from "../../peers/dispatch.js";
import { all, type Command, one } from "../sql/command.js";
import { sql } from "../sql/statement.js";
import { DISPATCH_COLUMNS, type DispatchRow } from "./dispatch-row.js";
import { withSends } from "./hold-dispatch.js";

const receiptsOf = sql<{ number: number; at: number; kind: string; facts: string }>(
  "SELECT number, at, kind, facts FROM receipts WHERE tenant = :tenant AND task_id = :taskId ORDER BY number",
);
const holdingSlots = sql<DispatchRow>(
  `SELECT ${DISPATCH_COLUMNS} FROM dispatches WHERE holds_slot = 1 ORDER BY peer, tenant, task_id`,
);
const holdingOf = sql<DispatchRow>(
  `SELECT ${DISPATCH_COLUMNS} FROM dispatches WHERE peer = :peer AND holds_slot = 1 ORDER BY tenant, task_id`,
);
const nextPeer = sql<{ peer: string | null }>("SELECT min(peer) AS peer FROM dispatches WHERE peer > :after");
const lastContact = sql<{ at: number | null }>("SELECT max(last_contact_at) AS at FROM dispatches WHERE peer = :peer");

export const receipts: (tenant: string, taskId: string) => Command<Receipt[]> = (tenant, taskId) =>
  function* () {
    const rows = yield* all(receiptsOf, { tenant, taskId });
    return rows.map(({ facts, ...row }) => ({ ...row, facts: JSON.parse(facts) as Receipt["facts"] }));
  };

export const holding: (peer?: string) => Command<Dispatch[]> = (peer) =>
  function* () {
    const dispatches: Dispatch[] = [];
    const rows = peer === undefined ? yield* all(holdingSlots, {}) : yield* all(holdingOf, { peer });
    for (const row of rows) dispatches.push(yield* withSends(row));
    return dispatches;
  };

/** From peer to peer, so that it costs as many look-ups as there are peers. */
export const lastContacts: Command<ReadonlyMap<string, number>> = function* () {
  const contacts = new Map<string, number>();
  for (let after = ""; ; ) {
    const peer = (yield* one(nextPeer, { after }))?.peer ?? null;
    if (peer === null) return contacts;
    const at = (yield* one(lastContact, { peer }))?.at ?? null;
    if (at !== null) contacts.set(peer, at);
    after = peer;
  }
};
