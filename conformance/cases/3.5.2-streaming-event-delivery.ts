import assert from "node:assert/strict";
import { section } from "../table/case.js";
import { assembledText, firstTask, statesOf } from "../table/look.js";

export const eventDelivery = section("3.5.2", "Streaming Event Delivery", "E22", (it) => {
  it("several streams get the same events in the same order", { needs: ["script"] }, async (talk) => {
    const { id, streams } = await talk.follow("slow", [talk, talk, talk]);
    const all = await Promise.all(streams.map((stream) => stream.rest()));
    for (const events of all) {
      assert.equal(firstTask(events).id, id);
      assert.equal(assembledText(events), "half, done");
      assert.equal(statesOf(events).at(-1), "completed");
    }
    // One may have begun before another; what follows the later beginning is the same.
    const shortest = Math.min(...all.map((events) => events.length - 1));
    const tails = all.map((events) => JSON.stringify(shortest === 0 ? [] : events.slice(-shortest)));
    assert.equal(new Set(tails).size, 1);
  });

  it("streams of other bindings and versions tell the same", { needs: ["script"] }, async (talk) => {
    const talks = [talk, ...talk.others("subscribe")];
    const { streams } = await talk.follow("slow", talks);
    for (const [at, stream] of streams.entries()) {
      const events = await stream.rest();
      const name = talks[at]?.wire.name;
      assert.equal(assembledText(events), "half, done", name);
      assert.equal(statesOf(events).at(-1), "completed", name);
    }
  });

  it("closing one stream does not affect another", { needs: ["script"] }, async (talk) => {
    const [leaves, stays] = (await talk.follow("slow", [talk, talk])).streams;
    await leaves?.next();
    leaves?.close();
    const events = (await stays?.rest()) ?? [];
    assert.equal(statesOf(events).at(-1), "completed");
    assert.equal(assembledText(events), "half, done");
  });

  it("a stream that was cut is taken up again without a loss", { needs: ["script"] }, async (talk) => {
    const stream = await talk.stream({ text: "slow" }).ok();
    const first = await stream.next();
    assert.ok(first?.type === "task");
    stream.close();
    const { id } = first.task;
    const again = await talk.subscribe({ id }).reply();
    if (again.type === "error") return assert.equal((await talk.get({ id }).task()).state, "completed");
    const events = await again.value.rest();
    assert.equal(assembledText(events), "half, done");
  });
});
