import { expect, it } from "vitest";
import { cancelTask, getTask, sendMessage } from "../support/daemon/a2a.js";
import { faultsOf } from "../support/daemon/history.js";
import { Puppet } from "../support/daemon/puppet.js";
import {
  allEvents,
  allTasks,
  isStatus,
  resultOf,
  untilLine,
  untilSaid,
  untilSettled,
} from "../support/daemon/watch.js";
import { boss, occupyA, startPair, worker } from "../support/nodes/pair.js";

it("X4 a blocking send is answered by the node that got it, whichever runs the task", async () => {
  const { a, b } = await startPair((node) => ({
    personas: [worker(node, { a: [{ reply: "a did {{input.text}}" }], b: [{ reply: "b did {{input.text}}" }] })],
  }));
  expect(resultOf(await sendMessage(a.url, "worker", { text: "one" }))).toMatch(/^[ab] did one$/);
  await occupyA(a);
  const done = await sendMessage(a.url, "worker", { text: "two" });
  expect([done.status.state, resultOf(done)]).toEqual(["TASK_STATE_COMPLETED", "b did two"]);
  for (const node of [a, b]) expect(await getTask(node.url, "worker", done.id)).toEqual(done);
});

it("D9 X4 a task for a persona that only one node has waits for that node, and is seen on both", async () => {
  const puppet = await Puppet.start();
  const { a, b } = await startPair((node) => ({
    providers: { puppet: puppet.provider },
    personas: [
      { name: "front", runtime: "scripted" },
      ...(node === "b" ? [{ name: "back", model: "puppet", provider: "puppet" }] : []),
    ],
  }));
  await expect(a.client.send({ persona: "back", text: "work" })).rejects.toMatchObject({ code: "not_found" });
  const { id } = await b.client.send({ persona: "back", text: "work" });
  await puppet.asked();
  await b.kill("SIGKILL");

  await untilLine(a.client, id, isStatus("pending"));
  // A has taken it back, and cannot run it; what it can run it does.
  const front = await a.client.send({ persona: "front", text: "still here" });
  expect(resultOf(await untilSettled(a.client, front.id))).toBe("still here");
  expect((await a.client.task(id)).state).toBe("pending");

  await b.restart();
  (await puppet.asked()).answer({ text: "done by b" });
  const done = await untilSettled(a.client, id);
  expect([done.state, done.attempt, resultOf(done)]).toEqual(["completed", 2, "done by b"]);
});

it("X4 E12 D19 a cancel on one node stops the run on the other, and is answered when it has stopped", async () => {
  const { a, b } = await startPair((node) => ({
    personas: [boss(node), worker(node, { a: [{ reply: "a" }], b: [{ status: "b works" }, { hang: true }] })],
  }));
  await occupyA(a);
  const root = await sendMessage(a.url, "boss", { text: "work", returnImmediately: true });
  const child = await untilSaid(a.client, root.id, "b works");

  const canceled = await cancelTask(a.url, "boss", root.id);
  expect(canceled.status.state).toBe("TASK_STATE_CANCELED");
  expect((await b.client.status()).slots.used).toBe(0);
  for (const id of [root.id, child]) {
    const task = await b.client.task(id);
    expect(task.state).toBe("canceled");
    expect(faultsOf(task, await allEvents(b.client, id))).toEqual([]);
  }
});

it("E11 the same message sent to both nodes at once is one task", async () => {
  const { a, b } = await startPair((node) => ({
    personas: [worker(node, { a: [{ reply: "a" }], b: [{ reply: "b" }] }, { maxConcurrent: 10 })],
  }));
  const messages = Array.from({ length: 20 }, (_, n) => ({ text: `message ${n}`, messageId: `message-${n}` }));
  const answers = await Promise.all(
    messages.map((message) => Promise.all([a, b, a, b].map(({ url }) => sendMessage(url, "worker", message)))),
  );
  for (const [first, ...same] of answers) {
    expect(first?.status.state).toBe("TASK_STATE_COMPLETED");
    for (const one of same) expect(one).toEqual(first);
  }
  expect(await allTasks(b.client)).toHaveLength(messages.length);
});

it("E11 two messages with one id sent to both nodes at once are one task and one conflict", async () => {
  const { a, b } = await startPair((node) => ({
    personas: [worker(node, { a: [{ reply: "a" }], b: [{ reply: "b" }] }, { maxConcurrent: 10 })],
  }));
  for (let round = 0; round < 10; round++) {
    const messageId = `message-${round}`;
    const outcomes = await Promise.allSettled([
      sendMessage(a.url, "worker", { text: "this", messageId }),
      sendMessage(b.url, "worker", { text: "that", messageId }),
    ]);
    const refused = outcomes.filter((outcome) => outcome.status === "rejected");
    expect(refused.map(({ reason }) => reason.code)).toEqual([-32602]);
  }
  expect(await allTasks(a.client)).toHaveLength(10);
});

it("X4 tasks of one conversation run one after another, whichever nodes get and run them", async () => {
  const puppet = await Puppet.start();
  const { a, b } = await startPair(() => ({
    providers: { puppet: puppet.provider },
    personas: [{ name: "writer", visibility: "public", model: "puppet", provider: "puppet", maxConcurrent: 5 }],
  }));
  const sent: string[] = [];
  for (const [n, { url }] of [a, b, b, a, b, a].entries()) {
    const { id } = await sendMessage(url, "writer", {
      text: `message ${n}`,
      contextId: "talk",
      returnImmediately: true,
    });
    sent.push(id);
  }
  for (const [n, id] of sent.entries()) {
    const asked = await puppet.asked();
    expect([asked.text, puppet.requests.length]).toEqual([`message ${n}`, n + 1]);
    asked.answer({ text: `done ${n}` });
    await untilSettled(b.client, id);
  }
});
