import { setTimeout as after } from "node:timers/promises";
import { expect, it } from "vitest";
import { sendMessage } from "../support/daemon/a2a.js";
import { faultsOf } from "../support/daemon/history.js";
import { Puppet } from "../support/daemon/puppet.js";
import type { TestDaemon } from "../support/daemon/start-daemon.js";
import { allEvents, allTasks, resultOf, untilSettled } from "../support/daemon/watch.js";
import { startPair } from "../support/nodes/pair.js";

/** Each node has a model of its own: who asks it says where a run is. */
async function puppetPair(more: object[] = []) {
  const puppets = { a: await Puppet.start(), b: await Puppet.start() };
  const nodes = await startPair((node) => ({
    providers: { puppet: puppets[node].provider },
    personas: [
      {
        name: "worker",
        visibility: "public",
        model: "puppet",
        provider: "puppet",
        maxConcurrent: 1,
        capabilities: { allow: ["persona.send:*"] },
      },
      ...more,
    ],
  }));
  return { ...nodes, puppets };
}

/** Who runs the task, and the request to its model; and the other node, with the next request to the model of that. */
async function run({ a, b, puppets }: Awaited<ReturnType<typeof puppetPair>>) {
  const { id } = await sendMessage(a.url, "worker", { text: "work", returnImmediately: true });
  const asked = { a: puppets.a.asked(), b: puppets.b.asked() };
  const first = await Promise.race([asked.a.then(() => "a" as const), asked.b.then(() => "b" as const)]);
  return first === "a"
    ? { id, late: a, lateAsked: await asked.a, other: b, otherAsked: asked.b, otherPuppet: puppets.b }
    : { id, late: b, lateAsked: await asked.b, other: a, otherAsked: asked.a, otherPuppet: puppets.a };
}

async function untilIdle({ client }: TestDaemon): Promise<void> {
  while ((await client.status()).slots.used > 0) await after(20);
}

it("R2 invariant 4 a node that was stopped for longer than its lease changes nothing of what another has taken over", async () => {
  const { id, late, lateAsked, other, otherAsked } = await run(await puppetPair());
  process.kill(late.pid, "SIGSTOP");
  // It lies ready for when the process goes on.
  lateAsked.answer({ text: "too late" });

  const successor = await otherAsked;
  process.kill(late.pid, "SIGCONT");
  await untilIdle(late);
  expect(await other.client.task(id)).toMatchObject({ state: "processing", artifacts: [] });
  successor.answer({ text: "by the successor" });

  const done = await untilSettled(late.client, id);
  expect([done.state, resultOf(done)]).toEqual(["completed", "by the successor"]);
  expect(faultsOf(done, await allEvents(other.client, id))).toEqual([]);
});

it("R2 invariant 6 a node that goes on after its successor has finished does not revive the task", async () => {
  const { id, late, lateAsked, other, otherAsked } = await run(await puppetPair());
  process.kill(late.pid, "SIGSTOP");
  lateAsked.answer({ text: "too late" });
  (await otherAsked).answer({ text: "by the successor" });
  const done = await untilSettled(other.client, id);
  const events = await allEvents(other.client, id);

  process.kill(late.pid, "SIGCONT");
  await untilIdle(late);
  expect(await late.client.task(id)).toEqual(done);
  expect(await allEvents(late.client, id)).toEqual(events);
  expect([done.state, resultOf(done), faultsOf(done, events)]).toEqual(["completed", "by the successor", []]);
});

it("R2 a delegation that a late node was about to make is made once", async () => {
  const helper = { name: "helper", runtime: "scripted" };
  const { id, late, lateAsked, other, otherAsked, otherPuppet } = await run(await puppetPair([helper]));
  const delegate = { name: "persona_send", args: { target_persona: "helper", message: "help", await_reply: true } };
  process.kill(late.pid, "SIGSTOP");
  lateAsked.answer({ tools: [delegate] });
  (await otherAsked).answer({ tools: [delegate] });
  const told = await otherPuppet.asked();
  expect(told.results).toHaveLength(1);
  process.kill(late.pid, "SIGCONT");
  await untilIdle(late);
  told.answer({ text: "helped" });

  const done = await untilSettled(late.client, id);
  expect([done.state, resultOf(done), done.children.length]).toEqual(["completed", "helped", 1]);
  for (const task of await allTasks(other.client)) {
    expect(faultsOf(task, await allEvents(other.client, task.id))).toEqual([]);
  }
});
