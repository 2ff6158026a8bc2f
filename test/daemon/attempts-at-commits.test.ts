import { expect, it } from "vitest";
import { faultsOf } from "../support/daemon/history.js";
import { type Death, deaths } from "../support/daemon/kill/death.js";
import { Puppet } from "../support/daemon/puppet.js";
import { startDaemon } from "../support/daemon/start-daemon.js";
import { allEvents, allTasks, resultOf, untilSettled } from "../support/daemon/watch.js";

/*
 * What a daemon that dies has to say about attempts hangs on one commit: right before it the attempt is lost, right
 * after it the attempt has ended as it said.
 */

const eventWith = (value: string, when: Death["when"]): Death => ({ statement: "INSERT INTO events", value, when });
const BACK_IN_THE_QUEUE = `"state":"pending"`;

const flaky = (...steps: object[]) => ({
  queue: { backoffBaseMs: 1, backoffMaxMs: 1 },
  a2a: { maxAttempts: 3 },
  personas: [{ name: "flaky", runtime: "scripted", script: [{ steps }] }],
});

it.each([
  { when: "before", reason: "attempt 3 of 3 was interrupted, and no attempt is left" },
  { when: "after", reason: "no luck" },
] as const)(
  "D8 D9 D14 dying right $when each failure is recorded, a task has its three attempts, and is one dead letter",
  async ({ when, reason }) => {
    const { env, plan } = deaths();
    plan(eventWith("no luck", when));
    const daemon = await startDaemon(flaky({ fail: { text: "no luck", retryable: true } }), { env });
    const { client } = daemon;
    const messageId = "the-one-message";
    // The daemon may be gone before it has answered.
    await client.send({ persona: "flaky", text: "try", messageId }).catch(() => {});
    for (let attempt = 1; attempt <= 3; attempt++) {
      expect((await daemon.exited).signal).toBe("SIGKILL");
      if (attempt === 3) plan(null);
      await daemon.restart();
    }
    const { id, created } = await client.send({ persona: "flaky", text: "try", messageId });
    expect(created).toBe(false);
    const failed = await untilSettled(client, id);
    expect([failed.state, failed.attempt]).toEqual(["failed", 3]);
    expect(faultsOf(failed, await allEvents(client, id))).toEqual([]);
    expect((await client.deadLetters()).tasks).toMatchObject([{ id, reason, retriedAs: null }]);
  },
);

it.each(["before", "after"] as const)(
  "D8 dying right %s the retry of a dead letter is recorded, it is retried once",
  async (when) => {
    const { env, plan } = deaths();
    const daemon = await startDaemon(flaky({ fail: { text: "no luck", retryable: true } }), { env });
    const { client } = daemon;
    const { id } = await client.send({ persona: "flaky", text: "try" });
    const failed = await untilSettled(client, id);

    await daemon.kill("SIGTERM");
    daemon.configure(flaky({ reply: "luck" }));
    plan({ statement: "INSERT INTO tasks", value: id, when });
    await daemon.restart();
    await expect(client.retryDeadLetter(id)).rejects.toThrow();
    expect((await daemon.exited).signal).toBe("SIGKILL");
    plan(null);
    await daemon.restart();

    const again = client.retryDeadLetter(id);
    if (when === "before") expect(await again).toMatchObject({ retryOf: id });
    else await expect(again).rejects.toMatchObject({ code: "conflict" });
    const retried = (await allTasks(client)).filter(({ retryOf }) => retryOf === id);
    expect(retried).toHaveLength(1);
    const done = await untilSettled(client, retried[0]?.id ?? "");
    expect([done.state, resultOf(done)]).toEqual(["completed", "luck"]);
    expect(await client.deadLetter(id)).toMatchObject({ retriedAs: done.id });
    expect(await client.task(id)).toEqual(failed);
  },
);

it.each(["before", "after"] as const)(
  "D9 D14 dying right %s the work of a dead process is taken back, each task has lost one attempt and runs again",
  async (when) => {
    const { env, plan } = deaths();
    const puppet = await Puppet.start();
    const daemon = await startDaemon(
      {
        a2a: { maxAttempts: 3 },
        providers: { puppet: puppet.provider },
        personas: [{ name: "worker", model: "puppet", provider: "puppet", maxConcurrent: 3 }],
      },
      { env },
    );
    const { client } = daemon;
    const ids: string[] = [];
    for (const text of ["one", "two", "three"]) ids.push((await client.send({ persona: "worker", text })).id);
    for (const _ of ids) await puppet.asked();
    await daemon.kill("SIGKILL");
    plan(eventWith(BACK_IN_THE_QUEUE, when));
    daemon.begin();
    expect((await daemon.exited).signal).toBe("SIGKILL");
    plan(null);
    await daemon.restart();
    const texts: string[] = [];
    for (const _ of ids) {
      const asked = await puppet.asked();
      texts.push(asked.text);
      asked.answer({ text: "done" });
    }
    expect(texts.sort()).toEqual(["one", "three", "two"]);
    for (const id of ids) {
      const done = await untilSettled(client, id);
      expect([done.state, done.attempt]).toEqual(["completed", 2]);
      expect(faultsOf(done, await allEvents(client, id))).toEqual([]);
    }
  },
);

it.each([
  { when: "before", attempt: 2 },
  { when: "after", attempt: 1 },
] as const)(
  "D14 a daemon that drains and dies right $when a run is handed back leaves it in attempt $attempt",
  async ({ when, attempt }) => {
    const { env, plan } = deaths();
    plan(eventWith(BACK_IN_THE_QUEUE, when));
    const puppet = await Puppet.start();
    const daemon = await startDaemon(
      {
        queue: { drainMs: 0 },
        providers: { puppet: puppet.provider },
        personas: [{ name: "worker", model: "puppet", provider: "puppet" }],
      },
      { env },
    );
    const { client } = daemon;
    const { id } = await client.send({ persona: "worker", text: "work" });
    await puppet.asked();
    expect((await daemon.kill("SIGTERM")).signal).toBe("SIGKILL");
    plan(null);
    await daemon.restart();
    (await puppet.asked()).answer({ text: "done" });
    const done = await untilSettled(client, id);
    expect([done.state, done.attempt]).toEqual(["completed", attempt]);
  },
);
