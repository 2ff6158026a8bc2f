import { expect, it, onTestFinished } from "vitest";
import { derivedId, makeIdsBy, newId } from "./ids.js";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-([78])[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

it("makes ids of version 7 that carry the time, never repeat, and rise also within one millisecond", () => {
  const before = Date.now();
  const ids = Array.from({ length: 20_000 }, newId);
  expect(ids.every((id) => UUID.exec(id)?.[1] === "7")).toBe(true);
  expect(new Set(ids).size).toBe(ids.length);
  expect([...ids].sort()).toEqual(ids);
  const time = Number.parseInt((ids[0] as string).replaceAll("-", "").slice(0, 12), 16);
  expect(time).toBeGreaterThanOrEqual(before);
  expect(time).toBeLessThan(before + 60_000);
});

it("makes ids by the clock that is shared, also when the machine's own was ahead of it", () => {
  onTestFinished(() => makeIdsBy({ now: Date.now }));
  newId();
  for (const time of [1_700_000_000_000, 1_900_000_000_000]) {
    makeIdsBy({ now: () => time });
    expect(Number.parseInt(newId().replaceAll("-", "").slice(0, 12), 16)).toBe(time);
  }
});

it("derives the same id from the same step, another from another, sorted by the recorded time", () => {
  const at = 1_790_000_000_000;
  const id = derivedId("parent", "call-1", at);
  expect(UUID.exec(id)?.[1]).toBe("8");
  expect(derivedId("parent", "call-1", at)).toBe(id);
  expect(derivedId("parent", "call-2", at)).not.toBe(id);
  expect(derivedId("other", "call-1", at)).not.toBe(id);
  // Where one text ends and the next begins matters.
  expect(derivedId("a", "bc", at)).not.toBe(derivedId("ab", "c", at));
  expect(id < derivedId("parent", "call-1", at + 1)).toBe(true);
});
