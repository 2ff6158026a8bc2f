import { all, type Steps } from "./command.js";
import { lock } from "./statement.js";

/*
 * What a command reads before it writes must still be true when it commits. SQLite has one writer, so it is. On PostgreSQL
 * the commands of several connections run side by side, and these locks keep apart those that would meet:
 *
 * - Everything that one task can be related to (parent and children, who awaits whom, the lane, the tree) is in the same
 *   context. A command that reads or changes more than the row of its own attempt begins with the lock of that context,
 *   and takes no other one: two commands can never wait for each other's context.
 * - A delegation counts what is in flight to its target, in any context: it takes the target's lock after its own context's.
 *
 * They are held until the transaction ends, however it ends. Claims, records of attempts and heartbeats change single
 * rows by conditions that stand in the update itself, and need none. Two numbers make a key space of their own each; a
 * collision of hashes only makes strangers wait.
 */

const CONTEXT = 1;
const TARGET = 2;
// 3 and 4 are taken by migrations and by those who work on the ledger.
const SIGNER = 5;
const PEER = 6;
const CREDENTIAL = 7;
const SNAPSHOTS = 8;

const context = lock(`SELECT pg_advisory_xact_lock(${CONTEXT}, hashtext(:tenant || '/' || :contextId))`);
const contextOfTask = lock(`SELECT pg_advisory_xact_lock(${CONTEXT}, hashtext(tenant || '/' || context_id))
  FROM tasks WHERE tenant = :tenant AND id = :taskId`);
const signer = lock(`SELECT pg_advisory_xact_lock(${SIGNER}, hashtext(:tenant || '/' || :agent))`);
const peer = lock(`SELECT pg_advisory_xact_lock(${PEER}, hashtext(:peer))`);
const credential = lock(`SELECT pg_advisory_xact_lock(${CREDENTIAL}, hashtext(:digest))`);
const snapshots = lock(`SELECT pg_advisory_xact_lock(${SNAPSHOTS}, hashtext(:tenant))`);
const target = lock(`SELECT pg_advisory_xact_lock(${TARGET}, hashtext(:tenant || '/' || :persona))`);

export function* lockContext(tenant: string, contextId: string): Steps<void> {
  yield* all(context, { tenant, contextId });
}

/** The context that the task is in; nothing when there is no such task. */
export function* lockContextOf(tenant: string, taskId: string): Steps<void> {
  yield* all(contextOfTask, { tenant, taskId });
}

/** What is delegated to this persona. */
export function* lockTarget(tenant: string, persona: string): Steps<void> {
  yield* all(target, { tenant, persona });
}

/** Which key an agent signs with; taken alone. */
export function* lockSigner(tenant: string, agent: string): Steps<void> {
  yield* all(signer, { tenant, agent });
}

/** Whose slots are counted; behind the row of a planned task, and before everything of a dispatch. */
export function* lockPeer(name: string): Steps<void> {
  yield* all(peer, { peer: name });
}

/** Which grants have this credential; behind the row of a planned task. */
export function* lockCredential(digest: string): Steps<void> {
  yield* all(credential, { digest });
}

/** Which contents the snapshots of a tenant hold; behind the row of a planned task. */
export function* lockSnapshots(tenant: string): Steps<void> {
  yield* all(snapshots, { tenant });
}
