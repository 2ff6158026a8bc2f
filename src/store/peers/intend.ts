import type { IntendSend } from "../../peers/peer-store.js";
import { leaseLost } from "../../shared/errors.js";
import { takeInvocation } from "../plans/invocations.js";
import { type Command, one, run } from "../sql/command.js";
import { lockContextOf } from "../sql/locks.js";
import { sql } from "../sql/statement.js";
import { addReceipt } from "./add-receipt.js";
import { changeDispatch, findDispatch, holdDispatch } from "./hold-dispatch.js";

const owned = sql<{ id: string }>(
  "SELECT id FROM tasks WHERE tenant = :tenant AND id = :taskId AND lease_owner = :owner AND fence = :fence",
);
const insertSend = sql(`INSERT INTO dispatch_sends (tenant, task_id, turn, message_id, body_digest, disclosed, state,
    error, intended_at, settled_at)
  VALUES (:tenant, :taskId, :turn, :messageId, :bodyDigest, :disclosed, 'sending', NULL, :now, NULL)`);

/**
 * The point of no return: behind this commit the message counts as sent, whatever happens. The lock of the context keeps
 * a cancel of the task, and another attempt of it, before or behind the whole of it.
 */
export const intend: (command: IntendSend) => Command<boolean> = (command) =>
  function* () {
    const { lease, turn, messageId, bodyDigest, disclosed, now } = command;
    const { tenant, taskId, owner, fence } = lease;
    yield* lockContextOf(tenant, taskId);
    if ((yield* one(owned, { tenant, taskId, owner, fence })) === undefined) throw leaseLost(taskId);
    // Only an intent leads away from these two, and under this lock there is no other one.
    const seen = yield* findDispatch(tenant, taskId);
    if (seen?.state !== (turn === 1 ? "prepared" : "accepted")) return false;
    if (seen.sends.some((send) => send.turn >= turn)) return false;
    yield* takeInvocation(tenant, taskId, now);
    const row = yield* holdDispatch(tenant, taskId);
    yield* run(insertSend, { tenant, taskId, turn, messageId, bodyDigest, disclosed: JSON.stringify(disclosed), now });
    yield* changeDispatch(row, { state: "sending" }, now);
    yield* addReceipt({ tenant, taskId }, "intended", { turn, messageId, bodyDigest, disclosed }, now);
    return true;
  };
