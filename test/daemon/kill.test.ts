import { setTimeout as after } from "node:timers/promises";
import { expect, it } from "vitest";
import type { TaskSummary } from "../../src/http/control/schema/task.js";
import { isTerminal } from "../../src/tasks/task-state.js";
import { A2aError, sendMessage } from "../support/daemon/a2a.js";
import { faultsOf } from "../support/daemon/history.js";
import { seeded } from "../support/daemon/random.js";
import { startDaemon, type TestDaemon } from "../support/daemon/start-daemon.js";
import { allEvents, allTasks, resultOf, untilSaid, untilSettled } from "../support/daemon/watch.js";

const TASKS = 200;
const KILLS = 20;
const SLOTS = 6;

/** What each kind of request makes its task delegate: the names of the children, and of theirs. */
const KINDS = {
  await: { answer: "worker did N", children: [{ children: [] }] },
  post: { answer: "posted N", children: [{ children: [] }] },
  flaky: { answer: "worker did N in the end", children: [{ children: [] }] },
  chain: { answer: "middle has worker did N", children: [{ children: [{ children: [] }] }] },
  both: { answer: "worker did N, worker did N again", children: [{ children: [] }, { children: [] }] },
} satisfies Record<string, { answer: string; children: Tree[] }>;
type Kind = keyof typeof KINDS;
interface Tree {
  children: Tree[];
}
const kinds = Object.keys(KINDS) as Kind[];

/** Several targets, so that no more than `maxConcurrentPerTarget` delegations are ever in flight to one. */
const workers = ["ada", "ben", "cleo", "dan", "eve", "fay"];
const config = {
  queue: { concurrency: SLOTS, backoffBaseMs: 20, backoffMaxMs: 100, leaseMs: 2000 },
  a2a: { maxAttempts: 20, maxConcurrentPerTarget: 100 },
  personas: [
    {
      name: "front",
      visibility: "public",
      runtime: "scripted",
      maxConcurrent: SLOTS,
      capabilities: { allow: ["persona.send:*"] },
      script: [
        { when: { text: "^hang$" }, steps: [{ status: "hanging" }, { hang: true }] },
        ...workers.flatMap(frontRules),
      ],
    },
    ...workers.map((worker) => ({
      name: worker,
      runtime: "scripted",
      maxConcurrent: SLOTS,
      script: [
        {
          when: { text: "^flaky" },
          steps: [
            { status: "working" },
            { fail: { text: "not yet", retryable: true, attempts: 2 } },
            { sleep: 20 },
            { reply: "worker did {{input.text}} in the end" },
          ],
        },
        {
          steps: [
            { status: "working" },
            { sleep: 40 },
            { chunk: "worker " },
            { sleep: 20 },
            { reply: "did {{input.text}}" },
          ],
        },
      ],
    })),
    ...workers.map((worker) => ({
      name: `${worker}-middle`,
      runtime: "scripted",
      maxConcurrent: SLOTS,
      capabilities: { allow: ["persona.send:*"] },
      script: [
        {
          steps: [
            { send: { to: worker, message: "{{input.text}}", await: true, as: "part" } },
            { reply: "middle has {{results.part}}" },
          ],
        },
      ],
    })),
  ],
};

function frontRules(worker: string) {
  const rule = (kind: Kind, steps: object[]) => ({ when: { text: `^${kind} ${worker} ` }, steps });
  const send = (to: string, message: string, as: string, awaited = true) => ({
    send: { to, message, await: awaited, as },
  });
  return [
    rule("await", [{ status: "asking" }, send(worker, "{{input.text}}", "part"), { reply: "{{results.part}}" }]),
    rule("post", [send(worker, "{{input.text}}", "part", false), { sleep: 10 }, { reply: "posted {{input.text}}" }]),
    rule("flaky", [
      { fail: { text: "front not yet", retryable: true, attempts: 2 } },
      send(worker, "{{input.text}}", "part"),
      { reply: "{{results.part}}" },
    ]),
    rule("chain", [send(`${worker}-middle`, "{{input.text}}", "part"), { reply: "{{results.part}}" }]),
    rule("both", [
      send(worker, "{{input.text}}", "one"),
      send(worker, "{{input.text}} again", "two"),
      { reply: "{{results.one}}, {{results.two}}" },
    ]),
  ];
}

it("D9 R1 E11 keeps every acknowledged task, its one outcome and its delegations over 20 kills at random moments", async () => {
  const seed = Number(process.env.NUNCIO_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
  console.log(`seed ${seed}: NUNCIO_TEST_SEED=${seed} repeats the moments`);
  const random = seeded(seed);
  const daemon = await startDaemon(config);
  const client = new Submitter(daemon);

  const submissions: Promise<Acknowledged>[] = [];
  const perLife = Math.ceil(TASKS / (KILLS + 1));
  for (let life = 0; life <= KILLS; life++) {
    for (let n = 0; n < perLife && submissions.length < TASKS; n++)
      submissions.push(client.submit(submissions.length, random()));
    if (life === KILLS) break;
    await after(20 + random() * 350);
    client.suspend();
    await daemon.kill("SIGKILL");
    await daemon.restart();
    client.resume(daemon);
  }
  const acknowledged = await Promise.all(submissions);

  const known = new Map<string, TaskSummary>();
  for (const { id } of acknowledged) await untilSettled(daemon.client, id);
  for (const task of await allTasks(daemon.client)) {
    if (!isTerminal(task.state)) await untilSettled(daemon.client, task.id);
  }
  for (const task of await allTasks(daemon.client)) known.set(task.id, task);

  const faults: string[] = [];
  for (const task of known.values()) faults.push(...faultsOf(task, await allEvents(daemon.client, task.id)));
  expect(faults).toEqual([]);

  expect(new Set(acknowledged.map(({ id }) => id)).size).toBe(TASKS);
  const treeOf = (id: string): Tree => ({
    children: [...known.values()].filter(({ parentId }) => parentId === id).map((child) => treeOf(child.id)),
  });
  for (const { id, kind, text } of acknowledged) {
    const task = await daemon.client.task(id);
    expect([task.state, resultOf(task)], `${kind} ${id}`).toEqual([
      "completed",
      KINDS[kind].answer.replaceAll("N", text),
    ]);
    expect(treeOf(id).children, `delegations of ${kind} ${id}`).toEqual(KINDS[kind].children);
  }
  // Nothing else is there: no root that nobody was told of, no child without a place.
  const expected = acknowledged.reduce((sum, { kind }) => sum + 1 + sizeOf(KINDS[kind].children), 0);
  expect(known.size).toBe(expected);

  await expectAllSlotsFree(daemon);
});

const sizeOf = (trees: readonly Tree[]): number => trees.reduce((sum, { children }) => sum + 1 + sizeOf(children), 0);

interface Acknowledged {
  id: string;
  kind: Kind;
  text: string;
}

/** A client that repeats a message, under its id, until it is acknowledged; some it sends twice from the start. */
class Submitter {
  /** The process that serves, or the promise of the next one. */
  #life: Promise<{ url: string; over: Promise<unknown> }> = new Promise(() => {});
  #begin: (life: { url: string; over: Promise<unknown> }) => void = () => {};

  constructor({ url, exited }: TestDaemon) {
    this.suspend();
    this.resume({ url, exited });
  }

  /** The daemon is about to be killed: who wants to send waits for the next one. */
  suspend(): void {
    this.#life = new Promise((resolve) => {
      this.#begin = resolve;
    });
  }

  resume({ url, exited }: { url: string; exited: Promise<unknown> }): void {
    this.#begin({ url, over: exited });
  }

  async submit(index: number, chance: number): Promise<Acknowledged> {
    const kind = kinds[index % kinds.length] as Kind;
    const text = `${kind} ${workers[index % workers.length]} ${index}`;
    const message = {
      text,
      messageId: `message-${index}`,
      returnImmediately: true,
      // A third of them share a few conversations, whose tasks run one after another.
      ...(index % 3 === 0 && { contextId: `context-${index % 4}` }),
    };
    const times = chance < 0.2 ? 2 : 1;
    const ids = await Promise.all(Array.from({ length: times }, () => this.#untilAcknowledged(message)));
    expect(new Set(ids).size, "the same message made two tasks").toBe(1);
    return { id: ids[0] as string, kind, text };
  }

  async #untilAcknowledged(message: Parameters<typeof sendMessage>[2]): Promise<string> {
    for (;;) {
      const { url, over } = await this.#life;
      try {
        return (await sendMessage(url, "front", message)).id;
      } catch (error) {
        if (error instanceof A2aError) throw error;
        // The connection was cut: whether the task exists is for the next try to find out.
        await over;
      }
    }
  }
}

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
