import { setTimeout as after } from "node:timers/promises";
import { expect, it } from "vitest";
import type { TaskSummary } from "../../src/http/control/schema/task.js";
import { isTerminal } from "../../src/tasks/task-state.js";
import { faultsOf } from "../support/daemon/history.js";
import { seeded } from "../support/daemon/kill/random.js";
import { mesh, type Tree } from "../support/daemon/kill/requests.js";
import { type Acknowledged, StubbornClient } from "../support/daemon/kill/stubborn-client.js";
import { startDaemon, type TestDaemon } from "../support/daemon/start-daemon.js";
import { allEvents, allTasks, resultOf, untilSaid, untilSettled } from "../support/daemon/watch.js";

const TASKS = 200;
const KILLS = 20;
const SLOTS = 6;
/** Of starting a daemon 21 times on a machine that does other things as well. */
const TIMEOUT_MS = 300_000;

const config = {
  queue: { concurrency: SLOTS, backoffBaseMs: 20, backoffMaxMs: 100 },
  a2a: { maxAttempts: 20, maxConcurrentPerTarget: 100 },
  personas: mesh(SLOTS),
};

it("D9 R1 E11 D18 D19 keeps every acknowledged task, its one outcome and its delegations over 20 kills at random moments", {
  timeout: TIMEOUT_MS,
}, async () => {
  const seed = Number(process.env.NUNCIO_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
  console.log(`seed ${seed}: NUNCIO_TEST_SEED=${seed} repeats the moments`);
  const daemon = await startDaemon(config);
  const acknowledged = await requestAndKill(daemon, seeded(seed));

  await untilNothingIsLeft(daemon, acknowledged);
  const tasks = await allTasks(daemon.client);
  const faults: string[] = [];
  for (const task of tasks) faults.push(...faultsOf(task, await allEvents(daemon.client, task.id)));
  expect(faults).toEqual([]);

  expect(new Set(acknowledged.map(({ id }) => id)).size).toBe(TASKS);
  const known = tasks.filter(({ parentId }) => parentId === null).map(({ id }) => id);
  expect(new Set(known), "tasks that nobody was told of").toEqual(new Set(acknowledged.map(({ id }) => id)));
  for (const { id, kind, text } of acknowledged) {
    const { state, artifacts } = await daemon.client.task(id);
    expect([state, resultOf({ artifacts })], id).toEqual([kind.state, kind.answer.replaceAll("N", text)]);
    if (kind.children !== undefined) expect(treeOf(tasks, id), `delegations of ${text}`).toEqual(kind.children);
    else expect(treeOf(tasks, id).length, `delegations of ${text}`).toBeLessThan(2);
  }
  await expectAllSlotsFree(daemon);
});

/** Sends a few requests in each life of the daemon, and ends that at a random moment. */
async function requestAndKill(daemon: TestDaemon, random: () => number): Promise<Acknowledged[]> {
  const client = new StubbornClient(daemon);
  const requests: Promise<Acknowledged>[] = [];
  const perLife = Math.ceil(TASKS / (KILLS + 1));
  for (let life = 0; life <= KILLS; life++) {
    for (let n = 0; n < perLife && requests.length < TASKS; n++)
      requests.push(handled(client.request(requests.length, random())));
    if (life === KILLS) break;
    // Mostly after it has got somewhere, however slow the machine is: each kill costs what runs an attempt.
    if (random() < 0.75) await client.answered();
    await after(20 + random() * 350);
    client.suspend();
    await daemon.kill("SIGKILL");
    await daemon.restart();
    client.resume(daemon);
  }
  return Promise.all(requests);
}

/** A request that fails does so at the end, with the others, and not while the daemon is being restarted. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

async function untilNothingIsLeft({ client }: TestDaemon, acknowledged: readonly Acknowledged[]): Promise<void> {
  for (const { id } of acknowledged) await untilSettled(client, id);
  // Delegated work outlives whoever delegated it.
  for (const task of await allTasks(client)) if (!isTerminal(task.state)) await untilSettled(client, task.id);
}

const treeOf = (tasks: readonly TaskSummary[], id: string): Tree =>
  tasks.filter(({ parentId }) => parentId === id).map((child) => treeOf(tasks, child.id));

/** As many tasks as there are slots run at the same time: none is still held by what was killed. */
async function expectAllSlotsFree({ client }: TestDaemon): Promise<void> {
  const load = async () => {
    const { slots, tasks } = await client.status();
    return { slots: slots.used, ...tasks };
  };
  expect(await load()).toEqual({ slots: 0, pending: 0, processing: 0, waiting: 0, dead: 0 });
  const ids: string[] = [];
  for (let n = 0; n < SLOTS; n++) ids.push((await client.send({ persona: "front", text: "hang" })).id);
  for (const id of ids) await untilSaid(client, id, "hanging");
  expect(await load()).toMatchObject({ slots: SLOTS, processing: SLOTS, pending: 0 });
  for (const id of ids) await client.cancel(id);
  expect(await load()).toMatchObject({ slots: 0, processing: 0 });
}
