import { expect, it } from "vitest";
import { LookUps } from "./look-ups.js";

/** Look-ups that stay open until they are told to end. */
function held() {
  const open: (() => void)[] = [];
  let started = 0;
  return {
    lookUp: () =>
      new Promise<number>((resolve) => {
        const number = ++started;
        open.push(() => resolve(number));
      }),
    end: () => open.shift()?.(),
    started: () => started,
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

it("a few run at a time, the others in turn", async () => {
  const { lookUp, end, started } = held();
  const lookUps = new LookUps<number>();
  const all = Array.from({ length: 10 }, (_, at) => lookUps.one(`key ${at}`, lookUp));
  await settled();
  expect(started()).toBe(4);
  for (let ended = 1; ended <= 10; ended++) {
    end();
    await settled();
    expect(started()).toBe(Math.min(10, 4 + ended));
  }
  expect(await Promise.all(all)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

it("one that fails gives its place to the next", async () => {
  const lookUps = new LookUps<number>();
  const failing = Array.from({ length: 20 }, (_, at) =>
    lookUps.one(`key ${at}`, () => Promise.reject(new Error("gone"))),
  );
  expect((await Promise.allSettled(failing)).every(({ status }) => status === "rejected")).toBe(true);
  expect(await lookUps.one("key 0", async () => 7)).toBe(7);
});

it("what is being looked up is not looked up a second time, and later again", async () => {
  const { lookUp, end, started } = held();
  const lookUps = new LookUps<number>();
  const [one, two] = [lookUps.one("key", lookUp), lookUps.one("key", lookUp)];
  await settled();
  end();
  expect([await one, await two]).toEqual([1, 1]);
  expect(started()).toBe(1);
  const again = lookUps.one("key", lookUp);
  await settled();
  end();
  expect(await again).toBe(2);
});

it("who comes when too many wait is sent away", async () => {
  const { lookUp, end } = held();
  const lookUps = new LookUps<number>();
  const waiting = Array.from({ length: 1004 }, (_, at) => lookUps.one(`key ${at}`, lookUp));
  await settled();
  await expect(lookUps.one("one more", lookUp)).rejects.toMatchObject({ code: "unavailable" });
  for (let ended = 0; ended < 1004; ended++) {
    end();
    await settled();
  }
  await Promise.all(waiting);
});
