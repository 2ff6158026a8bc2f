import { describe, expect, it } from "vitest";
import { type Entry, newEntry } from "./entry.js";
import { ReadyQueue } from "./ready-queue.js";

const entry = (principal: string, origin: string, id: string, attempts = 0): Entry => ({
  ...newEntry({ tenant: "default", taskId: "t", id }, principal, origin),
  attempts,
});

function queueOf(concurrency: number, ...entries: Entry[]): ReadyQueue {
  const queue = new ReadyQueue({ concurrency });
  for (const each of entries) queue.add(each);
  return queue;
}

const takeAll = (queue: ReadyQueue): Entry[] => {
  const taken: Entry[] = [];
  for (let next = queue.take(); next !== null; next = queue.take()) taken.push(next);
  return taken;
};

const many = (count: number, principal: string, origin: (at: number) => string, attempts = 0): Entry[] =>
  Array.from({ length: count }, (_, at) => entry(principal, origin(at), `${principal}${at}`, attempts));

describe("whose turn it is", () => {
  it("E23 goes from caller to caller, and from receiver to receiver of one", () => {
    const queue = queueOf(
      32,
      entry("a", "x", "a1"),
      entry("a", "x", "a2"),
      entry("a", "y", "a3"),
      entry("b", "x", "b1"),
    );
    expect(takeAll(queue).map(({ id }) => id)).toEqual(["a1", "b1", "a3", "a2"]);
  });

  it("E23 no more than so many at the same time; one that is done makes room for one", () => {
    const queue = queueOf(2, ...["a", "b", "c", "d"].map((name) => entry(name, name, name)));
    const [first, ...others] = takeAll(queue);
    expect(others).toHaveLength(1);
    queue.done(first as Entry);
    expect(takeAll(queue).map(({ id }) => id)).toEqual(["c"]);
    expect(queue.running).toBe(2);
  });

  it("E23 one caller whose receivers all hang leaves half of the places to others", () => {
    const queue = queueOf(32, ...many(100, "greedy", (at) => `host${at}`));
    expect(takeAll(queue)).toHaveLength(16);
    queue.add(entry("modest", "theirs", "m"));
    expect(takeAll(queue).map(({ id }) => id)).toEqual(["m"]);
  });

  it("E23 one host that hangs holds a part of the places, and one caller only a part of those", () => {
    const queue = queueOf(32, ...many(100, "greedy", () => "shared"), ...many(100, "other", () => "shared"));
    const taken = takeAll(queue);
    expect(taken).toHaveLength(8);
    expect(taken.filter(({ principal }) => principal === "greedy")).toHaveLength(4);
    queue.add(entry("third", "shared", "t"));
    queue.done(taken[0] as Entry);
    // The two before it are waiting longer; it has its turn within as many ends as there are callers.
    const next = takeAll(queue);
    expect(next).toHaveLength(1);
    queue.done(taken[1] as Entry);
    queue.done(taken[2] as Entry);
    expect([...next, ...takeAll(queue)].map(({ id }) => id)).toContain("t");
  });

  it("E23 what has failed before takes at most half of the places", () => {
    const failing = ["a", "b", "c", "d", "e"].flatMap((name) => many(20, name, (at) => `${name}${at}`, 1));
    const queue = queueOf(32, ...failing);
    expect(takeAll(queue)).toHaveLength(16);
    for (const name of ["a", "f"]) queue.add(entry(name, `${name}-fresh`, `${name}-fresh`));
    expect(
      takeAll(queue)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(["a-fresh", "f-fresh"]);
  });

  it("with one place only, everybody gets it in turn", () => {
    const queue = queueOf(1, ...many(2, "a", () => "x", 1), ...many(2, "b", () => "x"));
    const order: string[] = [];
    for (let next = queue.take(); next !== null; next = queue.take()) {
      order.push(next.id);
      queue.done(next);
    }
    expect(order).toEqual(["a0", "b0", "a1", "b1"]);
  });

  it("forgets what is removed", () => {
    const one = entry("a", "x", "1");
    const queue = queueOf(4, one);
    queue.remove(one);
    expect(queue.take()).toBeNull();
  });
});
