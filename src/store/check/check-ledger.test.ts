import { test as base, expect } from "vitest";
import { everyCrossing } from "../../../test/support/ledgers/every-crossing.js";
import { everyState } from "../../../test/support/ledgers/every-state.js";
import { PlannedWorld } from "../../../test/support/planned-world.js";
import { World } from "../../tasks/ledger-contract/world.contract.js";
import { type Database, sqlLedger } from "../sql-ledger.js";
import type { SqliteDriver } from "../sqlite/driver.js";
import { openDriver } from "../sqlite/open-driver.js";
import { databaseOn } from "../sqlite/open-sqlite.js";
import { checkLedger, countLedger } from "./check-ledger.js";
import { RULES } from "./rules.js";

const it = base.extend<{ driver: SqliteDriver; database: Database }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures this one needs
  driver: async ({}, use) => use(openDriver(":memory:")),
  database: async ({ driver }, use) => {
    const database = databaseOn(driver);
    await everyState(new World(sqlLedger(database)));
    await everyCrossing(new PlannedWorld(database));
    await use(database);
    await database.close();
  },
});

it("finds nothing wrong with a ledger that has a task in every state, and counts what is in it", async ({
  database,
}) => {
  expect(await database.read(checkLedger)).toEqual([]);
  const counts = await database.read(countLedger);
  expect(counts).toMatchObject({ deadLetters: 2, keys: 0, journalSteps: 3 });
  expect(counts.unfinished).toBeGreaterThan(8);
  expect(counts.tasks).toBeGreaterThan(counts.unfinished + 7);
  expect(counts.events).toBeGreaterThan(counts.tasks * 2);
  expect(counts.messageIds).toBeGreaterThan(15);
});

const one = (where: string) => `(SELECT id FROM tasks WHERE ${where} ORDER BY id LIMIT 1)`;
const COMPLETED = one("state = 'completed'");
const PROCESSING = one("state = 'processing' AND parent_id IS NULL");
const PARKED = one("waiting_for = 'reply'");
const RELAYING = one("asking_child_id IS NOT NULL");

/** What breaks each rule, and nothing that another one guards where that can be helped. */
const BREAKS: Record<string, string> = {
  "its events are not numbered from 1 to its last one without a gap": `DELETE FROM events WHERE task_id = ${COMPLETED} AND seq = 3`,
  "its first event is not the message that made it": `UPDATE events SET type = 'status' WHERE task_id = ${PROCESSING} AND seq = 1`,
  "it has ended, and its last event does not say so": `UPDATE tasks SET state = 'rejected' WHERE id = ${COMPLETED}`,
  "it went on after an event that ended it": `UPDATE events SET body = '{"type":"status","state":"failed"}'
    WHERE task_id = ${PROCESSING} AND seq = 2`,
  "its journal is not numbered from 1 without a gap": "UPDATE journal SET step = 7 WHERE key = 'read'",
  "its events or its journal were written by a newer version": "UPDATE journal SET format = 2 WHERE key = 'outline'",
  "it has events, and is not there": `DELETE FROM tasks WHERE id = ${COMPLETED}`,
  "it has journal steps, and is not there": `UPDATE journal SET task_id = 'gone' WHERE key = 'outline'`,
  "it is a dead letter, and is not there": "UPDATE dead_letters SET task_id = 'gone' WHERE retried_as IS NULL",
  "it is awaited, and is not there": `INSERT INTO waits (tenant, awaited_id, awaiter_id) VALUES ('default', 'gone', ${PARKED})`,
  "it has a lease without running, or runs without one": `UPDATE tasks SET lease_owner = NULL WHERE id = ${PROCESSING}`,
  "it says for what it waits without waiting, or waits and does not say for what": `UPDATE tasks SET wake_at = 1 WHERE id = ${PROCESSING}`,
  "it has ended without its artifacts, or has them before its end": `UPDATE tasks SET artifacts = NULL WHERE id = ${COMPLETED}`,
  "lists do not show it at the time of its status": `UPDATE tasks SET status_at = status_at + 1 WHERE id = ${COMPLETED}`,
  "it is not noted rightly whether an attempt of it has run": `UPDATE tasks SET started = 0 WHERE id = ${COMPLETED}`,
  "no list shows it, and its caller was given it": "UPDATE tasks SET unlisted = 1 WHERE state = 'canceled'",
  "it counts more attempts than it has, or runs without one": `UPDATE tasks SET attempt = max_attempts + 1 WHERE id = ${COMPLETED}`,
  "it is held back behind a task of its context, and none is before it": `UPDATE tasks SET lane = 'alone' WHERE blocked = 1`,
  "another task of its context runs, or may run, at the same time": "UPDATE tasks SET blocked = 0 WHERE blocked = 1",
  "it waits for tasks that have all ended": `UPDATE waits SET awaited_id = ${COMPLETED} WHERE awaiter_id = ${PARKED}`,
  "it is noted as awaiting a task, and does not wait": `INSERT INTO waits (tenant, awaited_id, awaiter_id)
    VALUES ('default', ${PARKED}, ${PROCESSING})`,
  "it relays a question that nobody asks": `UPDATE tasks SET asking_child_id = ${COMPLETED} WHERE id = ${RELAYING}`,
  "its parent is not there, or does not agree about root, depth and context":
    "UPDATE tasks SET hop = hop + 1 WHERE parent_id IS NOT NULL",
  "it has no parent, and is not its own root": `UPDATE tasks SET root_id = 'other' WHERE id = ${COMPLETED}`,
  "the message that made it is not known: sent again, it would make another task": `DELETE FROM submissions WHERE task_id = ${PROCESSING}`,
  "it is a dead letter, and has not failed": `INSERT INTO dead_letters (tenant, task_id, reason, at)
    VALUES ('default', ${COMPLETED}, '', 0)`,
  "it has push notifications, and is not there": `UPDATE push_subscriptions SET task_id = 'gone' WHERE id = 'other'`,
  "somebody was notified of more than it has, or of its end although it has not ended":
    "UPDATE push_subscriptions SET done_at = 1 WHERE id = 'other'",
  "the operator was asked about it, and it is not there": "UPDATE approvals SET task_id = 'gone'",
  "it was given to a peer, and is not there": "UPDATE dispatches SET task_id = 'gone' WHERE state = 'accepted'",
  "it waits for an approval that nobody is asked for": "UPDATE approvals SET decision = 'denied'",
  "the operator is asked about it, and it has ended": `UPDATE approvals SET tenant = 'default', task_id = ${COMPLETED}`,
  "it is a run of a planned task that is not complete, and is not there":
    "UPDATE assignment_runs SET child_id = 'gone'",
  "it is a planned task that has used more than it may, or less than its assignments":
    "UPDATE plans SET invocations_used = invocations_used + 1",
  "it is a planned task whose snapshot lacks what a file of it held": "DELETE FROM blobs",
  "it is a planned task whose runs are not counted from 1 without a gap": "UPDATE assignments SET generation = 5",
  "a grant was spent for it, and it is no run of what was granted": "UPDATE assignment_runs SET grant_id = NULL",
  "its receipts are not numbered from 1 without a gap": "UPDATE receipts SET number = 9 WHERE number = 1",
  "what is known of its dispatch is not what is known of its last message":
    "UPDATE dispatches SET state = 'accepted' WHERE state = 'sending'",
  "its peer has shown it as ended, and it takes a slot of the peer": "UPDATE dispatches SET remote_ended_at = 1",
  "it was retried more than once": `UPDATE tasks SET retry_of = (SELECT retry_of FROM tasks WHERE retry_of IS NOT NULL)
    WHERE id = ${PROCESSING}`,
};

it.for(RULES.map(({ broken }) => broken))(
  "notices a task of which it is true that %s",
  async (broken, { driver, database }) => {
    driver.exec(BREAKS[broken] as string);
    const faults = await database.read(checkLedger);
    expect(faults.map(({ message }) => message)).toContain(broken);
    expect(faults.every(({ tenant, taskId }) => ["default", "acme"].includes(tenant) && taskId !== "")).toBe(true);
  },
);

it("names a few of a kind, and not every one", async ({ driver, database }) => {
  driver.exec("DELETE FROM submissions");
  const faults = await database.read(checkLedger);
  expect(faults).toHaveLength(10);
});
