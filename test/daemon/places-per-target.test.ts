import { expect, it } from "vitest";
import type { ControlClient } from "../../src/client/control-client.js";
import { faultsOf } from "../support/daemon/history.js";
import { type Asked, Puppet } from "../support/daemon/puppet.js";
import { startDaemon } from "../support/daemon/start-daemon.js";
import { allEvents, allTasks, resultOf, untilSettled } from "../support/daemon/watch.js";

const PLACES = 3;
const CALLERS = 200;
/** Of a thousand runs on a machine that does other things as well. */
const TIMEOUT_MS = 600_000;

const FULL = `"target" already has ${PLACES} delegated task(s) in flight; the limit is ${PLACES} (a2a.maxConcurrentPerTarget); try again when one of them has finished`;

const delegating = (await_reply: boolean) => [
  { send: { to: "target", message: "{{input.text}}", await: await_reply, as: "sent" } },
  { reply: "{{results.sent.status}}{{results.sent.error}}" },
];
const config = (puppet: Puppet) => ({
  queue: { concurrency: 60, backoffBaseMs: 1, backoffMaxMs: 1 },
  a2a: { maxConcurrentPerTarget: PLACES, maxAttempts: 3 },
  providers: { puppet: puppet.provider },
  personas: [
    {
      name: "caller",
      runtime: "scripted",
      maxConcurrent: 40,
      capabilities: { allow: ["persona.send:target"] },
      script: [{ when: { text: "^wait for" }, steps: delegating(true) }, { steps: delegating(false) }],
    },
    // More than there are places: what keeps the rest out is the limit for delegations.
    { name: "target", model: "puppet", provider: "puppet", maxConcurrent: 20 },
  ],
});

/** Has all callers delegate at the same time; resolves with what those were told that do not wait for a reply. */
async function storm(client: ControlClient, text: string, waiting = 0): Promise<string[]> {
  const ids = await Promise.all(
    Array.from(
      { length: CALLERS },
      async (_, n) => (await client.send({ persona: "caller", text: `${text} ${n}` })).id,
    ),
  );
  const said: string[] = [];
  const settled = ids.map(async (id) => said.push(resultOf(await untilSettled(client, id))));
  await new Promise<void>((resolve) => {
    for (const each of settled) void each.then(() => said.length === CALLERS - waiting && resolve());
  });
  return said;
}

const passed = (said: readonly string[]) => {
  expect(new Set(said.filter((each) => each !== FULL))).toEqual(new Set(said.includes("pending") ? ["pending"] : []));
  return said.filter((each) => each !== FULL).length;
};

it("D12 D9 of two hundred delegations at once exactly three are in flight, over crashes, lost attempts and ends", {
  timeout: TIMEOUT_MS,
}, async () => {
  const puppet = await Puppet.start();
  const daemon = await startDaemon(config(puppet));
  const { client } = daemon;
  /** The three that are in flight; none but these has come to the provider when this resolves. */
  const inFlight = async (): Promise<Asked[]> => {
    const asked = [await puppet.asked(), await puppet.asked(), await puppet.asked()];
    const unfinished = (await client.tasks({ persona: "target", limit: 500 })).tasks.filter(
      ({ state }) => state !== "completed" && state !== "failed",
    );
    expect(unfinished).toHaveLength(PLACES);
    return asked;
  };
  const textsOf = (asked: readonly Asked[]) => asked.map(({ text }) => text).sort();

  expect(passed(await storm(client, "first"))).toBe(PLACES);
  const first = await inFlight();

  await daemon.kill("SIGKILL");
  await daemon.restart();
  const [one, ...others] = await inFlight();
  expect(textsOf([one as Asked, ...others])).toEqual(textsOf(first));
  expect(passed(await storm(client, "second"))).toBe(0);

  one?.answer({ text: "done" });
  const ended = (await allTasks(client)).filter(({ persona }) => persona === "target");
  await Promise.race(ended.map(({ id }) => untilSettled(client, id)));
  expect(passed(await storm(client, "third"))).toBe(1);
  const third = await puppet.asked();
  expect(third.text).toMatch(/^third /);

  // Of those that are there the older ones lose their last attempt with the second of these crashes.
  await daemon.kill("SIGKILL");
  await daemon.restart();
  expect(textsOf(await inFlight())).toEqual(textsOf([...others, third]));
  expect(passed(await storm(client, "fourth"))).toBe(0);
  await daemon.kill("SIGKILL");
  await daemon.restart();
  expect((await puppet.asked()).text).toBe(third.text);
  expect(passed(await storm(client, "wait for fifth", 2))).toBe(0);
  const fifth = [await puppet.asked(), await puppet.asked()];
  for (const { text } of fifth) expect(text).toMatch(/^wait for fifth /);

  // Those who wait for it hold no place themselves, and get one back for each that ends.
  for (const asked of fifth) asked.answer({ text: "at last" });
  const waiting = (await allTasks(client)).filter(
    ({ persona, state }) => persona === "caller" && state !== "completed",
  );
  for (const { id } of waiting) expect(resultOf(await untilSettled(client, id))).toBe("completed");
  expect(passed(await storm(client, "sixth"))).toBe(2);
  for (const asked of [await puppet.asked(), await puppet.asked()]) expect(asked.text).toMatch(/^sixth /);

  const tasks = await allTasks(client);
  expect(tasks.filter(({ persona }) => persona === "caller")).toHaveLength(6 * CALLERS);
  expect(tasks.filter(({ persona, state }) => persona === "caller" && state !== "completed")).toEqual([]);
  const delegated = tasks.filter(({ persona }) => persona === "target");
  expect(delegated).toHaveLength(3 + 1 + 2 + 2);
  expect(mostAtOnce(delegated)).toBe(PLACES);
  for (const task of delegated.filter(({ state }) => state !== "processing")) {
    expect(faultsOf(task, await allEvents(client, task.id))).toEqual([]);
  }
});

/** How many of the tasks were unfinished at the same time, by when they began and ended. */
function mostAtOnce(tasks: readonly { state: string; createdAt: string; updatedAt: string }[]): number {
  const moments = tasks.flatMap(({ state, createdAt, updatedAt }) => [
    { at: Date.parse(createdAt), change: 1 },
    ...(state === "processing" ? [] : [{ at: Date.parse(updatedAt), change: -1 }]),
  ]);
  // Within a millisecond what ends comes before what takes its place.
  moments.sort((a, b) => a.at - b.at || a.change - b.change);
  let now = 0;
  return Math.max(...moments.map(({ change }) => (now += change)));
}
