import { describe, expect, it } from "vitest";
import { ProcessSlots } from "./process-slots.js";

const never = new AbortController().signal;

describe("ProcessSlots", () => {
  it("gives slots in the order in which they were asked for", async () => {
    const slots = new ProcessSlots(1);
    const order: number[] = [];
    const release = await slots.take(never);
    const waiting = [1, 2, 3].map(async (number) => {
      const giveBack = await slots.take(never);
      order.push(number);
      giveBack();
    });
    release();
    await Promise.all(waiting);
    expect(order).toEqual([1, 2, 3]);
  });

  it("gives a slot back once, however often it is called", async () => {
    const slots = new ProcessSlots(1);
    const release = await slots.take(never);
    release();
    release();
    await slots.take(never);
    const second = new AbortController();
    const waiting = slots.take(second.signal);
    second.abort(new Error("no longer"));
    await expect(waiting).rejects.toThrow("no longer");
  });

  it("passes over those who have left", async () => {
    const slots = new ProcessSlots(1);
    const release = await slots.take(never);
    const gone = new AbortController();
    const left = slots.take(gone.signal);
    const next = slots.take(never);
    gone.abort(new Error("gone"));
    await expect(left).rejects.toThrow("gone");
    release();
    expect(await next).toBeTypeOf("function");
  });

  it("become more, for those who wait first, and fewer as they are given back", async () => {
    const slots = new ProcessSlots(1);
    const first = await slots.take(never);
    const second = slots.take(never);
    slots.resize(2);
    const releaseSecond = await second;
    slots.resize(1);
    const third = slots.take(never);
    const order: string[] = [];
    const served = third.then(() => order.push("third"));
    first();
    await Promise.resolve();
    order.push("first is back");
    releaseSecond();
    await served;
    expect(order).toEqual(["first is back", "third"]);
  });
});
