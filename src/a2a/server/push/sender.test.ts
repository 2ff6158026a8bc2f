import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { KeyRing } from "../../../access/sealing/key-ring.js";
import { createSealer, type Sealer } from "../../../access/sealing/sealer.js";
import type { Outbound, OutboundRequest } from "../../../outbound/outbound.js";
import { systemClock } from "../../../shared/clock.js";
import { NuncioError } from "../../../shared/errors.js";
import { newId } from "../../../shared/ids.js";
import { sqlLedger } from "../../../store/sql-ledger.js";
import { openDriver } from "../../../store/sqlite/open-driver.js";
import { databaseOn } from "../../../store/sqlite/open-sqlite.js";
import { piece } from "../../../tasks/ledger-contract/attempt.contract.js";
import { World } from "../../../tasks/ledger-contract/world.contract.js";
import { Updates } from "../updates.js";
import { PushSender } from "./sender.js";
import { sealTarget } from "./target.js";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Receivers, as far as a sender sees them: what each was told, and how it takes that. */
class Receivers implements Pick<Outbound, "fetch"> {
  readonly told = new Map<string, string[]>();
  readonly open = new Map<string, number>();
  mostAtOnce = 0;
  answer: (url: string) => Promise<Response> = async () => new Response(null, { status: 204 });

  async fetch(url: Parameters<Outbound["fetch"]>[0], { headers, signal }: OutboundRequest = {}): Promise<Response> {
    const place = String(url);
    const eventId = new Headers(headers).get("x-nuncio-event-id") ?? "";
    this.told.set(place, [...(this.told.get(place) ?? []), eventId]);
    this.open.set(place, (this.open.get(place) ?? 0) + 1);
    this.mostAtOnce = Math.max(this.mostAtOnce, this.open.get(place) ?? 0);
    try {
      await turn();
      signal?.throwIfAborted();
      return await this.answer(place);
    } finally {
      this.open.set(place, (this.open.get(place) ?? 0) - 1);
    }
  }
}

let directory: string;
let world: World;
let sealer: Sealer;
let receivers: Receivers;
let senders: PushSender[];
const errors: unknown[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "nuncio-sender-"));
  sealer = createSealer(new KeyRing(join(directory, "sealing.json"), systemClock));
  const database = databaseOn(openDriver(":memory:"));
  world = new World(sqlLedger(database));
  world.now = Date.now();
  receivers = new Receivers();
  senders = [];
  errors.length = 0;
});
afterEach(async () => {
  for (const sender of senders) await sender.stop(0);
  await world.ledger.close();
  rmSync(directory, { recursive: true });
  expect(errors).toEqual([]);
});

function start(over: { owner?: string; maxAttempts?: number } = {}): PushSender {
  const { owner = "alone", maxAttempts = 1000 } = over;
  const sender = new PushSender({
    ...{ ledger: world.ledger, sealer, outbound: async () => receivers, clock: systemClock, owner, alone: true },
    settings: { maxAttempts, backoffBaseMs: 1, backoffMaxMs: 3, timeoutMs: 1000 },
    concurrency: 8,
    onGivenUp: () => {},
    mayBeTold: () => true,
    onError: (error) => errors.push(error),
  });
  senders.push(sender);
  sender.start();
  return sender;
}

/** A task that runs, and a receiver that is told of it at the URL that comes with it. */
async function told() {
  const id = newId();
  const url = `https://hooks.example/${id}`;
  const key = { tenant: "default", taskId: id, id: "hook" };
  const sealed = sealTarget(sealer, key, { url, schemes: [] });
  const push = { id: "hook", version: "1.0" as const, origin: "https://hooks.example", sealed };
  const attempt = await world.running({ id, push });
  return { attempt, url, key };
}

const untilDone = async (taskId: string) => {
  while ((await world.tenant.push.get(taskId, "hook"))?.state !== "done") await turn();
};

/** Event ids of what there was to tell. */
async function dueOf(taskId: string): Promise<string[]> {
  const updates = new Updates(await world.snapshot(taskId, 1));
  return updates.of(await world.tenant.events(taskId, 1)).map(({ event }) => `${taskId}/${event.seq}`);
}

describe("the sender", () => {
  it("E23 tells everything, in order, one at a time, however often receivers fail and the daemon is started anew", async () => {
    receivers.answer = async () => {
      const chance = Math.random();
      if (chance < 0.15) return new Response(null, { status: 503 });
      if (chance < 0.3) throw new NuncioError("unavailable", "it could not be reached");
      if (chance < 0.4) await turn();
      return new Response("taken", { status: 200 });
    };
    let sender = start();
    const tasks = await Promise.all(Array.from({ length: 12 }, told));
    for (let round = 0; round < 12; round++) {
      for (const { attempt } of tasks) {
        await attempt.append([
          piece(`${round} `),
          { type: "status", state: "processing", message: says(`round ${round}`) },
        ]);
      }
      if (round % 3 !== 2) continue;
      await sender.stop(0);
      sender = start();
    }
    for (const { attempt } of tasks) await attempt.complete();
    for (const { attempt, url } of tasks) {
      await untilDone(attempt.id);
      const events = receivers.told.get(url) ?? [];
      expect([...new Set(events)]).toEqual(await dueOf(attempt.id));
      // A later one is told only when every one before it has been taken: repetitions stand together.
      expect(events.filter((event, at) => event !== events[at - 1])).toEqual([...new Set(events)]);
    }
    expect(receivers.mostAtOnce).toBe(1);
  });

  it("E23 two that share a ledger tell each thing once, as long as both live", async () => {
    start({ owner: "one" });
    start({ owner: "two" });
    const tasks = await Promise.all(Array.from({ length: 6 }, told));
    for (const { attempt } of tasks) await attempt.append([piece("a"), piece("b", false)]);
    for (const { attempt } of tasks) await attempt.complete();
    for (const { attempt, url } of tasks) {
      await untilDone(attempt.id);
      expect(receivers.told.get(url)).toEqual(await dueOf(attempt.id));
    }
    expect(receivers.mostAtOnce).toBe(1);
  }, 30_000);

  it("E23 gives a receiver up after so many failures, and goes on where it was when it is enabled again", async () => {
    receivers.answer = async () => new Response(null, { status: 500 });
    start({ maxAttempts: 3 });
    const { attempt, url, key } = await told();
    while ((await world.tenant.push.get(attempt.id, "hook"))?.state !== "disabled") await turn();
    expect(receivers.told.get(url)).toHaveLength(3);
    await attempt.complete();
    receivers.answer = async () => new Response(null, { status: 200 });
    await world.ledger.system.push.retry({ tenant: "default", taskId: attempt.id, now: Date.now() });
    await untilDone(attempt.id);
    expect([...new Set(receivers.told.get(url))]).toEqual(await dueOf(attempt.id));
    expect(await world.ledger.system.push.find(key)).toMatchObject({ attempts: 0, lastError: null, lastStatus: 200 });
  });

  it("E23 tells a receiver that was replaced meanwhile at its new place, and the old one nothing more", async () => {
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    receivers.answer = async () => {
      await held;
      return new Response(null, { status: 200 });
    };
    start();
    const { attempt, url, key } = await told();
    while (receivers.told.get(url) === undefined) await turn();
    const other = `${url}/new`;
    const sealed = sealTarget(sealer, key, { url: other, schemes: [] });
    const push = { id: "hook", version: "1.0" as const, origin: "https://hooks.example", sealed };
    await world.tenant.push.set({ taskId: attempt.id, push, atMost: 3, now: Date.now() });
    await attempt.complete();
    release();
    await untilDone(attempt.id);
    expect(receivers.told.get(url)).toHaveLength(1);
    expect(receivers.told.get(other)).toEqual(await dueOf(attempt.id));
  });

  it("X13 says why when the secrets cannot be opened, and sends nothing", async () => {
    const { attempt, url } = await told();
    rmSync(join(directory, "sealing.json"));
    start({ maxAttempts: 2 });
    while ((await world.tenant.push.get(attempt.id, "hook"))?.state !== "disabled") await turn();
    const { lastError } = (await world.tenant.push.get(attempt.id, "hook")) ?? {};
    expect(lastError).toMatch(/^the sealing key \w+ is not in /);
    expect(receivers.told.get(url)).toBeUndefined();
  });

  it("X7 forgets what is purged", async () => {
    start();
    const { attempt } = await told();
    await attempt.complete();
    await untilDone(attempt.id);
    const { purgeTree } = world.ledger.system.retention;
    const now = Date.now();
    expect(await purgeTree({ tenant: "default", rootId: attempt.id, endedBy: now, now })).toMatchObject({
      type: "purged",
    });
    expect(await world.tenant.push.list(attempt.id)).toEqual([]);
  });
});

const says = (text: string) => ({ messageId: newId(), role: "agent" as const, parts: [{ text }] });
