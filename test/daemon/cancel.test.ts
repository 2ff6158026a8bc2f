import { expect, it } from "vitest";
import { cancelTask, sendMessage } from "../support/daemon/a2a.js";
import { faultsOf } from "../support/daemon/history.js";
import { Puppet } from "../support/daemon/puppet.js";
import { startDaemon } from "../support/daemon/start-daemon.js";
import { allEvents, allTasks, untilSettled } from "../support/daemon/watch.js";

const relay = (name: string, steps: object[], more: object = {}) => ({
  name,
  runtime: "scripted",
  capabilities: { allow: ["persona.send:*"] },
  script: [{ steps }],
  ...more,
});
const target = { name: "target", model: "puppet", provider: "puppet", maxConcurrent: 4 };
const awaits = (to: string) => ({ send: { to, message: "{{input.text}}", await: true, as: "reply" } });
const posts = (to: string) => ({ send: { to, message: "{{input.text}}", as: "sent" } });

it("D19 a cancel reaches what was delegated at any depth, also below a task that has ended, and stops the runs", async () => {
  const puppet = await Puppet.start();
  const daemon = await startDaemon({
    a2a: { maxConcurrentPerTarget: 4 },
    providers: { puppet: puppet.provider },
    personas: [
      relay("root", [posts("ended"), awaits("middle"), { reply: "{{results.reply}}" }], { visibility: "public" }),
      // Has ended when the cancel comes, and has left work behind.
      relay("ended", [posts("target"), { reply: "sent" }]),
      relay("middle", [posts("asking"), awaits("target"), { reply: "{{results.reply}}" }]),
      relay("asking", [{ ask: "Which one?" }]),
      target,
    ],
  });
  const { client } = daemon;
  const root = await sendMessage(daemon.url, "root", { text: "work", returnImmediately: true });
  const running = [await puppet.asked(), await puppet.asked()];
  const [asking] = (await client.tasks({ persona: "asking" })).tasks;
  await untilSettled(client, asking?.id ?? "");

  const canceled = await cancelTask(daemon.url, "root", root.id);
  expect(canceled.status.state).toBe("TASK_STATE_CANCELED");
  const states = (await allTasks(client)).map(({ persona, state }) => `${persona} ${state}`).sort();
  expect(states).toEqual([
    "asking canceled",
    "ended completed",
    "middle canceled",
    "root canceled",
    "target canceled",
    "target canceled",
  ]);
  await Promise.all(running.map(({ abandoned }) => abandoned));
  expect(await client.status()).toMatchObject({ slots: { used: 0 }, tasks: { pending: 0, processing: 0, waiting: 0 } });

  // The answers come too late, and a restart revives nothing.
  for (const { answer } of running) answer({ text: "late" });
  await daemon.kill("SIGKILL");
  await daemon.restart();
  expect((await allTasks(client)).map(({ persona, state }) => `${persona} ${state}`).sort()).toEqual(states);
  for (const task of await allTasks(client)) expect(faultsOf(task, await allEvents(client, task.id))).toEqual([]);
  await expect(cancelTask(daemon.url, "root", root.id)).rejects.toMatchObject({ code: -32002 });

  const next = await client.send({ persona: "target", text: "fresh" });
  (await puppet.asked()).answer({ text: "still here" });
  expect((await untilSettled(client, next.id)).state).toBe("completed");
});

it("D19 canceling a child leaves its parent alone: it is told, and goes on", async () => {
  const puppet = await Puppet.start();
  const { client } = await startDaemon({
    providers: { puppet: puppet.provider },
    personas: [
      relay("root", [awaits("target"), { reply: "{{results.reply.status}}: {{results.reply.error}}" }]),
      target,
    ],
  });
  const { id } = await client.send({ persona: "root", text: "work" });
  const asked = await puppet.asked();
  const [child] = (await client.task(id)).children;
  const { canceledIds } = await client.cancel(child?.id ?? "", "changed my mind");
  expect(canceledIds).toEqual([child?.id]);
  await asked.abandoned;
  const done = await untilSettled(client, id);
  expect([done.state, done.artifacts[0]?.parts[0]?.text]).toEqual(["completed", "failed: canceled: changed my mind"]);
});
