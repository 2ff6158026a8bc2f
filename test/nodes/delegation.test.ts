import { expect, it } from "vitest";
import { sendMessage } from "../support/daemon/a2a.js";
import { faultsOf } from "../support/daemon/history.js";
import type { TestDaemon } from "../support/daemon/start-daemon.js";
import { allEvents, allTasks, resultOf, untilSaid, untilSettled } from "../support/daemon/watch.js";
import { boss, occupyA, persona, send, startPair, worker } from "../support/nodes/pair.js";

async function expectCleanLedger({ client }: TestDaemon): Promise<void> {
  for (const task of await allTasks(client)) {
    if (task.state === "processing") continue;
    expect(faultsOf(task, await allEvents(client, task.id))).toEqual([]);
  }
}

it("D3 X4 a parent on one node awaits its child on the other", async () => {
  const { a, b } = await startPair((node) => ({
    personas: [boss(node), worker(node, { a: [{ reply: "child on a" }], b: [{ reply: "child on b" }] })],
  }));
  await occupyA(a);
  const done = await sendMessage(a.url, "boss", { text: "work" });
  expect(done.status.state).toBe("TASK_STATE_COMPLETED");
  // Whoever had a slot when the child was done has gone on with the parent.
  expect(resultOf(done)).toMatch(/^[ab] heard: child on b$/);
  await expectCleanLedger(b);
});

it("D9 D3 X4 a parent goes on with its one child when the node that ran this is killed", async () => {
  const { a, b } = await startPair((node) => ({
    personas: [
      boss(node),
      worker(node, { a: [{ status: "going" }, { reply: "child on a" }], b: [{ status: "stuck" }, { hang: true }] }),
    ],
  }));
  const free = await occupyA(a);
  const root = await sendMessage(a.url, "boss", { text: "work", returnImmediately: true });
  const child = await untilSaid(a.client, root.id, "stuck");
  await free();
  await b.kill("SIGKILL");
  const done = await untilSettled(a.client, root.id);
  expect(resultOf(done)).toBe("a heard: child on a");

  await b.restart();
  const { state, children } = await b.client.task(root.id);
  expect([state, children.map(({ id, attempt }) => [id, attempt])]).toEqual(["completed", [[child, 2]]]);
  await expectCleanLedger(b);
});

it("D17 X4 with one slot in each node, chains of delegations that await each other finish", async () => {
  const chain = ["one", "two", "three", "four"];
  const { a, b } = await startPair(() => ({
    queue: { concurrency: 1 },
    a2a: { maxConcurrentPerTarget: 10 },
    personas: [
      ...chain.slice(0, -1).map((name, n) => {
        const steps = [send(chain[n + 1] as string, "{{input.text}}", "r"), { reply: `${name}({{results.r}})` }];
        return persona(name, steps);
      }),
      persona("four", [{ reply: "{{input.text}}" }]),
    ],
  }));
  const texts = Array.from({ length: 8 }, (_, n) => `text ${n}`);
  const sent = await Promise.all(texts.map((text, n) => sendMessage((n % 2 === 0 ? a : b).url, "one", { text })));
  expect(sent.map(resultOf)).toEqual(texts.map((text) => `one(two(three(${text})))`));
  await expectCleanLedger(a);
});

it("D12 X4 the limit of delegations in flight to a persona holds over all nodes", async () => {
  const { a, b } = await startPair(() => ({
    a2a: { maxConcurrentPerTarget: 3 },
    personas: [
      persona("sender", [
        send("target", "{{input.text}}", "r", false),
        { reply: "{{results.r.status}}{{results.r.error}}" },
      ]),
      { name: "target", runtime: "scripted", maxConcurrent: 5, script: [{ steps: [{ hang: true }] }] },
    ],
  }));
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => sendMessage((n % 2 === 0 ? a : b).url, "sender", { text: `${n}` })),
  );
  const targets = (await allTasks(a.client)).filter((task) => task.persona === "target");
  expect(targets).toHaveLength(3);
  expect(answers.filter((task) => /limit|in flight|maxConcurrentPerTarget/.test(resultOf(task)))).toHaveLength(17);
});
