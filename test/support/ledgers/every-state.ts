import { newId } from "../../../src/shared/ids.js";
import { piece, step } from "../../../src/tasks/ledger-contract/attempt.contract.js";
import type { World } from "../../../src/tasks/ledger-contract/world.contract.js";

/**
 * Brings a ledger to where it has a task in every state and in every kind of waiting, with the events, journal steps,
 * waits, message ids and dead letters that belong to them: what an upgrade and a backup have to keep.
 */
export async function everyState(world: World): Promise<void> {
  await whatHasEnded(world);
  await whatWaits(world);
  await whatRuns(world);
  await whoIsNotified(world);
  await whatIsQueued(world);
}

async function whatHasEnded(world: World): Promise<void> {
  const completed = await world.running();
  await completed.append([piece("The first half, ", false), piece("the second.")], [step(1, "outline", world.now)]);
  await completed.complete();

  const asked = await world.running();
  await asked.ask("in which color?");
  await world.answer(asked.id, "in blue");
  await (await world.run()).complete();

  await (await world.running()).settle({
    type: "rejected",
    message: { messageId: newId(), role: "agent", parts: [{ text: "not today" }] },
  });
  await (await world.running()).fail("a key is missing", { retryable: false });

  const dead = await world.running({ maxAttempts: 1 });
  await dead.fail("the provider is gone");
  const retried = await world.running({ maxAttempts: 1 });
  await retried.fail("the provider is still gone");
  await world.retryDead(retried.id);
  await (await world.run()).complete();

  const parent = await world.running();
  await parent.delegate("editor");
  await world.run("editor");
  await world.cancel(parent.id);
}

async function whatWaits(world: World): Promise<void> {
  await (await world.running()).ask("which one?");
  await (await world.running()).ask("who are you?", "auth");

  const parent = await world.running();
  await parent.delegate("editor", { parkUntil: world.now + 3_600_000 });
  await world.run("editor");

  const relaying = await world.running();
  await relaying.delegate("editor", { parkUntil: world.now + 3_600_000 });
  await (await world.run("editor")).ask("how long?");
}

async function whatRuns(world: World): Promise<void> {
  const writing = await world.running();
  await writing.append([piece("So far, ", false)], [step(1, "search", world.now), step(2, "read", world.now)]);
  await world.submit();
  await world.claim();
}

async function whatIsQueued(world: World): Promise<void> {
  const contextId = newId();
  const failing = await world.running({ contextId });
  await world.submit({ contextId });
  await failing.fail("not yet", { retryAt: world.now + 1000 });
  await world.submit();
  await world.submit({}, "acme");
}

async function whoIsNotified(world: World): Promise<void> {
  const { push } = world.ledger.system;
  const wish = (id: string) => ({
    id,
    version: "1.0" as const,
    origin: "https://hooks.example",
    sealed: "s1.key.AAAA",
  });
  const claim = (taskId: string, sentSeq: number) =>
    push.claim({
      ...{ tenant: "default", taskId, id: "hook", owner: "sender", sentSeq, leaseMs: 1000, now: world.now },
      longestBackoffMs: 1000,
    });

  const done = await world.running({ push: wish("hook") });
  await done.complete();
  const lease = await claim(done.id, 1);
  const { seq } = await world.snapshot(done.id);
  if (lease !== null) {
    await push.delivered({ lease, seq, status: 204, release: true, leaseMs: 1000, now: world.now });
  }

  const failing = await world.running({ push: wish("hook") });
  await failing.append([piece("So far, ", false)]);
  const tried = await claim(failing.id, 1);
  if (tried !== null) {
    const { now } = world;
    await push.failed({ lease: tried, error: "it said 500", status: 500, retryAt: now + 1000, disable: true, now });
  }
  const command = { taskId: failing.id, push: wish("other"), atMost: 10, now: world.now };
  await world.tenant.push.set(command);
}
