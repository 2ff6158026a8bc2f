import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MinuteWindow } from "./minute-window.js";

const START = 1_700_000_000_000;

describe("MinuteWindow", () => {
  it("E24 takes as many as the limit says, and says when one more may come", () => {
    const window = new MinuteWindow();
    expect([0, 100, 200].map((ms) => window.take(3, START + ms))).toEqual([0, 0, 0]);
    expect(window.take(3, START + 10_000)).toBe(51);
    expect(window.take(3, START + 60_199)).toBe(1);
    expect(window.take(3, START + 60_200)).toBe(0);
  });

  it("E24 what is refused is not counted", () => {
    const window = new MinuteWindow();
    window.take(1, START);
    for (let ms = 1000; ms < 60_000; ms += 1000) expect(window.take(1, START + ms)).toBeGreaterThan(0);
    expect(window.take(1, START + 60_000)).toBe(0);
  });

  it("a clock that is set back neither forgets nor blocks for longer than a minute", () => {
    const window = new MinuteWindow();
    window.take(1, START);
    expect(window.take(1, START - 3_600_000)).toBe(60);
    expect(window.take(1, START + 60_000)).toBe(0);
  });

  it("a limit that becomes smaller holds for what was counted before", () => {
    const window = new MinuteWindow();
    for (let second = 0; second < 10; second++) window.take(10, START + second * 1000);
    expect(window.wait(4, START + 10_000)).toBe(56);
    expect(window.wait(11, START + 10_000)).toBe(0);
  });

  it("E7 never lets more than the limit pass in any minute, and what it promises holds", () => {
    const property = fc.property(
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.integer({ min: 0, max: 40_000 }), { maxLength: 60 }),
      (limit, gaps) => {
        const window = new MinuteWindow();
        const taken: number[] = [];
        let now = START;
        for (const gap of gaps) {
          now += gap;
          const wait = window.take(limit, now);
          if (wait === 0) taken.push(now);
          else expect(counted(taken).wait(limit, now + wait * 1000)).toBe(0);
          expect(taken.filter((at) => at > now - 60_000).length).toBeLessThanOrEqual(limit);
        }
      },
    );
    fc.assert(property, { numRuns: 300 });
  });
});

function counted(times: readonly number[]): MinuteWindow {
  const window = new MinuteWindow();
  for (const time of times) window.count(time);
  return window;
}
