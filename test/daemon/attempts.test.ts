import { expect, it } from "vitest";
import { faultsOf } from "../support/daemon/history.js";
import { Puppet } from "../support/daemon/puppet.js";
import { startDaemon } from "../support/daemon/start-daemon.js";
import { allEvents, allTasks, isRetry, resultOf, untilLine, untilSettled } from "../support/daemon/watch.js";

const quickly = { backoffBaseMs: 1, backoffMaxMs: 1 };
const worker = {
  name: "worker",
  model: "puppet",
  provider: "worker",
  capabilities: { allow: ["persona.send:helper"] },
};
const helper = { name: "helper", model: "puppet", provider: "helper" };
const askHelper = {
  tools: [{ name: "persona_send", args: { target_persona: "helper", message: "help", await_reply: true } }],
};

it("D14 D9 a failure and a crash count as attempts; waiting for a delegation and a drained shutdown do not", async () => {
  const [model, helperModel] = [await Puppet.start(), await Puppet.start()];
  const daemon = await startDaemon({
    queue: { ...quickly, drainMs: 0 },
    a2a: { maxAttempts: 3 },
    providers: { worker: model.provider, helper: helperModel.provider },
    personas: [worker, helper],
  });
  const { client } = daemon;
  const { id } = await client.send({ persona: "worker", text: "work" });
  const attempt = async () => (await client.task(id)).attempt;

  (await model.asked()).answer({ status: 503, message: "overloaded" });
  await model.asked();
  expect(await attempt()).toBe(2);
  await daemon.kill("SIGKILL");
  await daemon.restart();

  (await model.asked()).answer(askHelper);
  await helperModel.asked();
  expect(await attempt()).toBe(3);
  expect((await daemon.kill("SIGTERM")).code).toBe(0);
  await daemon.restart();
  (await helperModel.asked()).answer({ text: "helped" });

  const resumed = await model.asked();
  expect(resumed.results.join()).toContain("helped");
  expect((await daemon.kill("SIGTERM")).code).toBe(0);
  await daemon.restart();
  (await model.asked()).answer({ text: "done" });

  const done = await untilSettled(client, id);
  expect([done.state, done.attempt, resultOf(done)]).toEqual(["completed", 3, "done"]);
  expect(done.children).toMatchObject([{ state: "completed", attempt: 1 }]);
});

it("D14 D8 D9 a task whose last attempt is lost in a crash has failed, and whoever awaits it is told", async () => {
  const [model, helperModel] = [await Puppet.start(), await Puppet.start()];
  const daemon = await startDaemon({
    queue: quickly,
    a2a: { maxAttempts: 2 },
    providers: { worker: model.provider, helper: helperModel.provider },
    personas: [worker, helper],
  });
  const { client } = daemon;
  const { id } = await client.send({ persona: "worker", text: "work" });
  (await model.asked()).answer(askHelper);
  for (let crash = 0; crash < 2; crash++) {
    await helperModel.asked();
    await daemon.kill("SIGKILL");
    await daemon.restart();
  }
  const told = await model.asked();
  expect(told.results.join()).toContain("attempt 2 of 2 was interrupted, and no attempt is left");
  told.answer({ text: "then without help" });

  const done = await untilSettled(client, id);
  expect([done.state, done.attempt]).toEqual(["completed", 1]);
  expect(done.children).toMatchObject([{ state: "failed", attempt: 2 }]);
  expect((await client.deadLetters()).tasks.map((task) => task.id)).toEqual([done.children[0]?.id]);
  for (const task of await allTasks(client)) expect(faultsOf(task, await allEvents(client, task.id))).toEqual([]);
});

const flaky = (...steps: object[]) => ({
  queue: quickly,
  a2a: { maxAttempts: 3 },
  personas: [{ name: "flaky", runtime: "scripted", script: [{ steps }] }],
});

it("D8 a task that fails with every attempt is a dead letter, and is retried once, as a new task that names it", async () => {
  const daemon = await startDaemon(flaky({ chunk: "half" }, { fail: { text: "no luck", retryable: true } }));
  const { client } = daemon;
  const { id, contextId } = await client.send({ persona: "flaky", text: "try" });
  const failed = await untilSettled(client, id);
  expect(failed).toMatchObject({ state: "failed", attempt: 3, statusMessage: { parts: [{ text: "no luck" }] } });
  expect(faultsOf(failed, await allEvents(client, id))).toEqual([]);
  expect((await client.deadLetters()).tasks).toMatchObject([{ id, reason: "no luck", retriedAs: null }]);

  await daemon.kill("SIGKILL");
  daemon.configure(flaky({ reply: "{{input.text}} again: luck" }));
  await daemon.restart();
  expect(await client.deadLetter(id)).toMatchObject({ id, reason: "no luck", retriedAs: null });

  // Whoever comes second is told, also when both come at once.
  const retries = await Promise.allSettled([client.retryDeadLetter(id), client.retryDeadLetter(id)]);
  const [retried] = retries.flatMap((retry) => (retry.status === "fulfilled" ? [retry.value] : []));
  const [refused] = retries.flatMap((retry) => (retry.status === "rejected" ? [retry.reason] : []));
  expect(retried).toMatchObject({ retryOf: id, trigger: "retry", contextId });
  expect(refused).toMatchObject({ code: "conflict", message: expect.stringContaining(retried?.id ?? "") });
  const again = await untilSettled(client, retried?.id ?? "");
  expect([again.state, again.attempt, resultOf(again)]).toEqual(["completed", 1, "try again: luck"]);

  expect(await client.task(id)).toEqual(failed);
  expect(await client.deadLetter(id)).toMatchObject({ retriedAs: retried?.id });
  expect(await client.purgeDeadLetters(id)).toEqual({ purged: 1 });
  await expect(client.purgeDeadLetters(id)).rejects.toMatchObject({ code: "not_found" });
  expect(await client.task(id)).toEqual(failed);
  expect((await client.status()).tasks?.dead).toBe(0);
});

it("D8 a failure that no repetition would heal is not repeated, and is no dead letter", async () => {
  const { client } = await startDaemon(flaky({ fail: "never" }));
  const { id } = await client.send({ persona: "flaky", text: "try" });
  expect(await untilSettled(client, id)).toMatchObject({ state: "failed", attempt: 1 });
  expect((await client.deadLetters()).tasks).toEqual([]);
});

it("D8 D9 a task that waits for its next attempt when the daemon dies gets that attempt after the restart", async () => {
  const config = flaky({ fail: { text: "not yet", retryable: true, attempts: 1 } }, { reply: "attempt {{attempt}}" });
  const daemon = await startDaemon({ ...config, queue: { backoffBaseMs: 1500, backoffMaxMs: 1500 } });
  const { id } = await daemon.client.send({ persona: "flaky", text: "try" });
  await untilLine(daemon.client, id, isRetry);
  await daemon.kill("SIGKILL");
  await daemon.restart();
  const done = await untilSettled(daemon.client, id);
  expect([done.state, done.attempt, resultOf(done)]).toEqual(["completed", 2, "attempt 2"]);
});
