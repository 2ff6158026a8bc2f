import assert from "node:assert/strict";
import { section } from "../table/case.js";

export const timestamps = section("5.6.1", "Timestamps", "E20", (it) => {
  it("each status has its time, in UTC and to the millisecond", async (talk) => {
    const before = Date.now();
    const { timestamp } = await talk.run("hello");
    assert.match(timestamp ?? "", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const at = Date.parse(timestamp as string);
    assert.ok(Math.abs(at - before) < 300_000, "close to now, as far as two clocks agree");
  });

  it("the time moves with the status", { needs: ["script"] }, async (talk) => {
    const asking = await talk.run("ask");
    const done = await talk.run("the red one", { taskId: asking.id });
    assert.ok((done.timestamp as string) >= (asking.timestamp as string));
  });
});
