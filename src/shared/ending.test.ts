import { describe, expect, it, vi } from "vitest";
import { type Ending, EndingSource } from "./ending.js";

describe("an ending", () => {
  it("tells each listener once, and is over from then on", () => {
    const source = new EndingSource();
    const [first, second] = [vi.fn(), vi.fn()];
    source.addEventListener("abort", first);
    source.addEventListener("abort", second);
    expect(source.aborted).toBe(false);
    source.abort();
    source.abort();
    expect(source.aborted).toBe(true);
    expect(first).toHaveBeenCalledTimes(1);
    expect(second).toHaveBeenCalledTimes(1);
  });

  it("does not tell whoever has left", () => {
    const source = new EndingSource();
    const listener = vi.fn();
    source.addEventListener("abort", listener);
    source.removeEventListener("abort", listener);
    source.abort();
    expect(listener).not.toHaveBeenCalled();
  });

  it("lets a listener leave while it is told", () => {
    const source = new EndingSource();
    const other = vi.fn();
    const listener = vi.fn(() => source.removeEventListener("abort", listener));
    source.addEventListener("abort", listener);
    source.addEventListener("abort", other);
    source.abort();
    expect(other).toHaveBeenCalledTimes(1);
  });

  it("may be an AbortSignal as well", () => {
    const controller = new AbortController();
    const ending: Ending = controller.signal;
    const listener = vi.fn();
    ending.addEventListener("abort", listener);
    controller.abort();
    expect(listener).toHaveBeenCalledTimes(1);
    expect(ending.aborted).toBe(true);
  });
});
