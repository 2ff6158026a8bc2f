import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Streams } from "./streams.js";

/** A response whose reader takes nothing until it is told to. */
class HeldResponse extends EventEmitter {
  written: string[] = [];
  writableNeedDrain = false;
  destroyed = false;
  ended = false;
  full = false;

  writeHead() {}
  write(text: string) {
    this.written.push(text);
    this.writableNeedDrain = this.full;
    return !this.full;
  }
  take() {
    this.writableNeedDrain = false;
    this.emit("drain");
  }
  destroy() {
    this.destroyed = true;
    this.emit("close");
  }
  end() {
    this.ended = true;
  }
}

/** Pieces that are handed out one by one, and whether they have been let go. */
function source() {
  const waiting: ((text: string | null) => void)[] = [];
  const state = { asked: 0, left: false };
  async function* frames(): AsyncGenerator<string, void> {
    try {
      for (;;) {
        state.asked += 1;
        const text = await new Promise<string | null>((resolve) => waiting.push(resolve));
        if (text === null) return;
        yield text;
      }
    } finally {
      state.left = true;
    }
  }
  return { frames: frames(), state, give: (text: string | null) => waiting.shift()?.(text) };
}

const settled = () => vi.advanceTimersByTimeAsync(0);

describe("streams", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function open(streams: Streams) {
    const response = new HeldResponse();
    const pieces = source();
    const served = streams.serve(response as unknown as ServerResponse, pieces.frames);
    return { response, ...pieces, served };
  }

  it("E22 ask for the next piece when the reader has taken the last one", async () => {
    const { response, state, give, served } = open(new Streams({ heartbeatMs: 1000, stallMs: 60_000 }));
    response.full = true;
    give("one");
    await settled();
    expect(response.written).toEqual(["one"]);
    expect(state.asked).toBe(1);
    response.take();
    await settled();
    expect(state.asked).toBe(2);
    give(null);
    await served;
    expect(response.ended).toBe(true);
  });

  it("E22 beat with one timer for all, which stops with the last of them", async () => {
    const streams = new Streams({ heartbeatMs: 1000, stallMs: 60_000 });
    const opened = [open(streams), open(streams), open(streams)];
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(2000);
    for (const { response, give, served } of opened) {
      expect(response.written).toEqual([":\n\n", ":\n\n"]);
      give(null);
      await served;
    }
    expect(streams.size).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("Q5 E22 take the place of the connection's own timer, and give it back with the last piece", async () => {
    const response = new HeldResponse();
    const setTimeout = vi.fn();
    Object.assign(response, { socket: { setTimeout, writableNeedDrain: false } });
    const { frames, give } = source();
    const streams = new Streams({ heartbeatMs: 1000, stallMs: 3000 });
    const served = streams.serve(response as unknown as ServerResponse, frames);
    expect(setTimeout.mock.calls).toEqual([[0]]);
    give(null);
    await served;
    expect(setTimeout.mock.calls).toEqual([[0], [3000]]);
  });

  it("E22 let go of a reader that does not take its piece in time, and of what it read from", async () => {
    const { response, state, give, served } = open(new Streams({ heartbeatMs: 1000, stallMs: 3000 }));
    response.full = true;
    give("one");
    await vi.advanceTimersByTimeAsync(2000);
    expect(response.destroyed).toBe(false);
    await vi.advanceTimersByTimeAsync(1000);
    expect(response.destroyed).toBe(true);
    await served;
    expect(state.left).toBe(true);
    expect(response.written).toEqual(["one"]);
  });

  it("E22 keep a slow reader that takes its pieces in time", async () => {
    const { response, give } = open(new Streams({ heartbeatMs: 1000, stallMs: 3000 }));
    response.full = true;
    for (let piece = 0; piece < 10; piece++) {
      give("piece");
      await vi.advanceTimersByTimeAsync(2000);
      response.take();
      await settled();
    }
    expect(response.destroyed).toBe(false);
    give(null);
  });
});
