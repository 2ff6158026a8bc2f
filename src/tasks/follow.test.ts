import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sqlLedger } from "../store/sql-ledger.js";
import { openSqlite } from "../store/sqlite/open-sqlite.js";
import { isSettled, TaskFollowers } from "./follow.js";
import type { TaskChange, TaskLedger } from "./ledger.js";
import { type Attempt, piece } from "./ledger-contract/attempt.contract.js";
import { TENANT, World } from "./ledger-contract/world.contract.js";
import type { TaskEvent } from "./task-event.js";

let ledger: TaskLedger;
let world: World;
let followers: TaskFollowers;
let abort: AbortController;

beforeEach(() => {
  ledger = sqlLedger(openSqlite(":memory:"));
  world = new World(ledger);
  followers = new TaskFollowers(ledger);
  abort = new AbortController();
});

afterEach(async () => {
  expect(followers.size, "listeners that are left").toBe(0);
  followers.close();
  await ledger.close();
});

const follow = (id: string, after = 0, from = followers) =>
  from.events(TENANT, id, after, AbortSignal.any([abort.signal]));

const purge = (rootId: string) =>
  ledger.system.retention.purgeTree({ tenant: TENANT, rootId, endedBy: world.now, now: world.now });

async function seqsOf(events: AsyncIterable<TaskEvent[]>): Promise<number[]> {
  const seqs: number[] = [];
  for await (const batch of events) seqs.push(...batch.map(({ seq }) => seq));
  return seqs;
}

const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

const say = async (attempt: Attempt, times: number) => {
  for (let n = 0; n < times; n++) await attempt.append([piece(`${n} `)]);
};

/** A ledger whose announcements pass through `change`, as if they came from another node or were lost on the way. */
const announcing = (change: (change: TaskChange) => TaskChange | null): TaskLedger => ({
  ...ledger,
  onChange: (listener) =>
    ledger.onChange((original) => {
      const changed = change(original);
      if (changed !== null) listener(changed);
    }),
});

describe("following the events of a task", () => {
  it("invariant 3 gives what exists and what is to come, each once and in order", async () => {
    const attempt = await world.running();
    await say(attempt, 3);
    const seqs = seqsOf(follow(attempt.id));
    await say(attempt, 5);
    await attempt.complete();
    expect(await seqs).toEqual(upTo(11));
  });

  it("invariant 3 loses nothing to events that come while the first are read", async () => {
    const attempt = await world.running();
    const followed = Promise.all(upTo(20).map(() => seqsOf(follow(attempt.id))));
    const said = Promise.all(upTo(20).map((n) => attempt.append([piece(`${n}`)])));
    await said;
    await attempt.complete();
    for (const seqs of await followed) expect(seqs).toEqual(upTo(23));
  });

  it("E22 goes on after the number that the reader has seen", async () => {
    const attempt = await world.running();
    await say(attempt, 3);
    const seqs = seqsOf(follow(attempt.id, 4));
    await attempt.complete();
    expect(await seqs).toEqual([5, 6]);
  });

  it("E22 ends where the task stops to ask, and goes on from there when it is asked for again", async () => {
    const attempt = await world.running();
    const first = seqsOf(follow(attempt.id));
    await attempt.ask("which one?");
    expect(await first).toEqual([1, 2, 3]);

    const second = seqsOf(follow(attempt.id, 3));
    await world.answer(attempt.id, "that one");
    await (await world.run()).complete();
    expect(await second).toEqual([4, 5, 6, 7]);
  });

  it("does not end at a question that has been answered meanwhile", async () => {
    const attempt = await world.running();
    await attempt.ask("which one?");
    await world.answer(attempt.id, "that one");
    const seqs = seqsOf(follow(attempt.id));
    await (await world.run()).complete();
    expect(await seqs).toEqual(upTo(7));
  });

  it("reads a long history page by page", async () => {
    const attempt = await world.running();
    await attempt.append(upTo(2500).map((n) => piece(`${n} `)));
    await attempt.complete();
    expect(await seqsOf(follow(attempt.id))).toEqual(upTo(2503));
  });

  it("keeps a bounded number of events for a reader that takes none, who still gets them all", async () => {
    const attempt = await world.running();
    const events = follow(attempt.id);
    const seen = (await events.next()).value?.map(({ seq }) => seq) ?? [];
    for (let n = 0; n < 12; n++) await attempt.append(upTo(250).map((m) => piece(`${n}-${m} `)));
    await attempt.complete();
    expect([...seen, ...(await seqsOf(events))]).toEqual(upTo(3003));
  });

  it("invariant 3 reads what another node only announces, and what was not announced at all", async () => {
    let count = 0;
    const withoutEvents = new TaskFollowers(announcing(({ events: _, ...change }) => change));
    const withGaps = new TaskFollowers(announcing((change) => (count++ % 3 === 0 ? null : change)));
    const attempt = await world.running();
    const followed = [withoutEvents, withGaps].map((from) => seqsOf(follow(attempt.id, 0, from)));
    await say(attempt, 9);
    count = 1;
    await attempt.complete();
    for (const seqs of followed) expect(await seqs).toEqual(upTo(12));
    withoutEvents.close();
    withGaps.close();
  });

  it("invariant 3 ends also when the end is announced by another node while it is being read", async () => {
    const attempt = await world.running();
    const announced = announcing(({ events: _, ...change }) => change);
    let told: TaskChange | undefined;
    const stop = announced.onChange((change) => {
      told = change;
    });
    let tell: (change: TaskChange) => void = () => {};
    const read = announced.forTenant(TENANT);
    const from = new TaskFollowers({
      ...announced,
      onChange: (listener) => {
        tell = listener;
        return () => {};
      },
      forTenant: () => ({
        ...read,
        events: async (id, after, limit) => {
          const events = await read.events(id, after, limit);
          if (told !== undefined) tell(told);
          told = undefined;
          return events;
        },
      }),
    });
    await attempt.complete();
    expect(await seqsOf(follow(attempt.id, 0, from))).toEqual(upTo(3));
    stop();
    from.close();
  });

  it("X7 ends when the task is purged, whoever announces that, and also when nobody does", async () => {
    const missed = new Set<() => void>();
    const onMissed = (listener: () => void) => {
      missed.add(listener);
      return () => missed.delete(listener);
    };
    const elsewhere = new TaskFollowers({ ...announcing(() => null), onMissed });
    const attempt = await world.running();
    await attempt.complete();
    const { seq } = await world.snapshot(attempt.id);
    const both = [seqsOf(follow(attempt.id, seq)), seqsOf(follow(attempt.id, seq, elsewhere))];
    await purge(attempt.id);
    for (const listener of missed) listener();
    expect(await Promise.all(both)).toEqual([[], []]);
    elsewhere.close();
  });

  it("X7 passes over no event that was compacted: it fails, and whoever blocks gets the task as it stands", async () => {
    const attempt = await world.running();
    const before = await world.snapshot(attempt.id);
    await say(attempt, 3);
    await attempt.complete();
    await ledger.system.retention.compact({ tenant: TENANT, taskId: attempt.id });
    await expect(seqsOf(follow(attempt.id, before.seq))).rejects.toMatchObject({ reason: "EVENTS_COMPACTED" });
    expect(await followers.untilSettled(before, abort.signal)).toEqual(await world.snapshot(attempt.id));
  });

  it("stops when the reader leaves or is cut off, and never touches the task", async () => {
    const attempt = await world.running();
    const left = follow(attempt.id);
    await left.next();
    await left.return();
    const cutOff = seqsOf(follow(attempt.id, 2));
    expect(followers.size).toBe(1);
    abort.abort();
    expect(await cutOff).toEqual([]);
    expect(followers.size).toBe(0);
    expect(await world.state(attempt.id)).toBe("processing");
  });

  it("hears of one task of one tenant", async () => {
    const [attempt, other] = [await world.running(), await world.running()];
    const seqs = seqsOf(follow(attempt.id));
    await say(other, 3);
    await other.complete();
    await world.submit({ id: attempt.id }, "acme");
    await attempt.complete();
    expect(await seqs).toEqual([1, 2, 3]);
  });
});

describe("waiting until a task is settled", () => {
  const until = async (id: string, from = followers) => from.untilSettled(await world.snapshot(id), abort.signal);

  it("answers with the task as it then stands: ended", async () => {
    const attempt = await world.running();
    const settled = until(attempt.id);
    await say(attempt, 3);
    await attempt.settle({ type: "completed" }, { facts: [piece("done")] });
    const { history, artifacts, state, seq } = await world.snapshot(attempt.id);
    expect(await settled).toMatchObject({ history, artifacts, state, seq });
  });

  it("or waiting for its caller", async () => {
    const attempt = await world.running();
    const settled = until(attempt.id);
    await attempt.ask("which one?");
    expect(await settled).toMatchObject({ state: "waiting", waitingFor: "input", seq: 3 });
    expect(await until(attempt.id)).toMatchObject({ seq: 3 });
  });

  it("does not take waiting for a reply for an end", async () => {
    const attempt = await world.running();
    const settled = until(attempt.id);
    await attempt.delegate("editor", { parkUntil: world.now + 60_000 });
    await (await world.run("editor")).complete();
    await (await world.run()).complete();
    expect(await settled).toMatchObject({ state: "completed" });
  });

  it("leaves the snapshot as it was", async () => {
    const attempt = await world.running();
    await attempt.append([piece("a")]);
    const snapshot = await world.snapshot(attempt.id);
    const before = structuredClone(snapshot);
    const settled = followers.untilSettled(snapshot, abort.signal);
    await attempt.append([piece("b")]);
    await attempt.complete();
    expect((await settled).artifacts).toMatchObject([{ parts: [{ text: "ab" }] }]);
    expect(snapshot).toEqual(before);
  });

  it("answers with the task as it stands when time is up", async () => {
    const attempt = await world.running();
    const settled = until(attempt.id);
    await say(attempt, 1);
    abort.abort();
    expect(await settled).toMatchObject({ state: "processing" });
    expect(await world.state(attempt.id)).toBe("processing");
  });

  it("reads what was announced without events, with a gap, or not at all", async () => {
    let lost = 0;
    for (const change of [
      ({ events: _, ...rest }: TaskChange) => rest,
      (original: TaskChange) => (lost++ === 0 ? null : original),
      () => null,
    ]) {
      const from = new TaskFollowers(announcing(change));
      const attempt = await world.running();
      const settled = until(attempt.id, from);
      await say(attempt, 2);
      await attempt.complete();
      expect(await settled).toMatchObject({ state: "completed", seq: 5 });
      expect(from.size).toBe(0);
      from.close();
    }
  });

  it("settled is what has ended, or waits for its caller", () => {
    const settled = ["input", "auth"].map((waitingFor) =>
      isSettled({ state: "waiting", waitingFor: waitingFor as "input" }),
    );
    expect(settled).toEqual([true, true]);
    const unsettled = ["reply", "approval"].map((waitingFor) =>
      isSettled({ state: "waiting", waitingFor: waitingFor as "reply" }),
    );
    expect(unsettled).toEqual([false, false]);
    expect(isSettled({ state: "pending", waitingFor: null })).toBe(false);
    expect(isSettled({ state: "rejected", waitingFor: null })).toBe(true);
  });
});
