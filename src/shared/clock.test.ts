import { expect, it } from "vitest";
import { steadyClock } from "./clock.js";

/** A machine whose clock can be set while its time passes. */
function machine() {
  let wall = 1_000_000;
  let elapsed = 500.25;
  return {
    clock: steadyClock(
      () => Math.floor(wall),
      () => elapsed,
    ),
    pass(ms: number) {
      wall += ms;
      elapsed += ms;
    },
    set(by: number) {
      wall += by;
    },
  };
}

it("time passes as the wall clock says", () => {
  const { clock, pass } = machine();
  expect(clock.now()).toBe(1_000_000);
  pass(1500.5);
  expect(clock.now()).toBe(1_001_500);
});

it("a clock that is set forward, or slept, is followed", () => {
  const { clock, pass, set } = machine();
  set(3_600_000);
  pass(10);
  expect(clock.now()).toBe(4_600_010);
});

it("a clock that is set back neither stops time nor repeats it", () => {
  const { clock, pass, set } = machine();
  pass(1000);
  expect(clock.now()).toBe(1_001_000);
  set(-3_600_000);
  expect(clock.now()).toBe(1_001_000);
  pass(500);
  expect(clock.now()).toBe(1_001_500);
  pass(3_600_000);
  expect(clock.now()).toBe(4_601_500);
  // Once the wall clock is ahead again, it leads.
  set(7_200_000);
  expect(clock.now()).toBe(8_201_500);
});

it("time never goes back, whatever is done to the clock", () => {
  const { clock, pass, set } = machine();
  let last = clock.now();
  for (let step = 0; step < 1000; step++) {
    pass((step * 37) % 11);
    if (step % 7 === 0) set(((step * 7919) % 4001) - 2000);
    const now = clock.now();
    expect(now).toBeGreaterThanOrEqual(last);
    last = now;
  }
});
