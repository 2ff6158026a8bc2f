import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { v1 as dialect } from "../spelling/v1.js";
import { both, grpc, http, not, rest, section, v1, v03 } from "../table/case.js";
import { assembledText, firstTask, statesOf } from "../table/look.js";
import { httpStream } from "../wires/http-stream.js";
import { rest as restCall } from "../wires/rest.js";

/** The service of 0.3 says otherwise of `TaskSubscription` in its protobuf definition. */
const refusing = not(both(grpc, v03));

export const subscribeToTask = section("3.1.6", "Subscribe to Task", "E20 E22", (it) => {
  it("begins with the task as it stands, goes on, and closes when it has ended", {
    needs: ["script"],
  }, async (talk) => {
    const { id, streams } = await talk.follow("slow");
    const events = (await streams[0]?.rest()) ?? [];
    assert.equal(firstTask(events).id, id);
    assert.equal(statesOf(events).at(-1), "completed");
    assert.equal(assembledText(events), "half, done");
  });

  for (const [text, state] of [
    ["ask", "input-required"],
    ["auth", "auth-required"],
  ] as const) {
    it(`of a task that is ${state}: the task, and the end`, { needs: ["script"] }, async (talk) => {
      const { id } = await talk.run(text);
      const events = await (await talk.subscribe({ id }).ok()).rest();
      assert.equal(firstTask(events).state, state);
    });
  }

  for (const text of ["hello", "fail", "reject"]) {
    it(`of a task that has ended: UnsupportedOperation, ${text}`, { on: refusing, needs: ["script"] }, async (talk) => {
      const { id } = await talk.run(text);
      await talk.subscribe({ id }).refused("UNSUPPORTED_OPERATION");
    });
  }

  it("of a task that is canceled: UnsupportedOperation", { on: refusing, needs: ["script"] }, async (talk) => {
    const { id } = await talk.start("hang");
    await talk.cancel({ id }).task();
    await talk.subscribe({ id }).refused("UNSUPPORTED_OPERATION");
  });

  it("0.3 as protobuf: the completed task, like GetTask, and the end", {
    on: not(refusing),
    needs: ["script"],
  }, async (talk) => {
    const { id } = await talk.run("hello");
    const events = await (await talk.subscribe({ id }).ok()).rest();
    assert.equal(events.length, 1);
    assert.equal(firstTask(events).state, "completed");
  });

  it("of a task that is not there: TaskNotFound", async (talk) => {
    await talk.subscribe({ id: randomUUID() }).refused("TASK_NOT_FOUND");
  });

  it("of somebody else's task: TaskNotFound", { needs: ["script", "another caller"] }, async (talk) => {
    const { id } = await talk.run("ask");
    await (await talk.asStranger()).subscribe({ id }).refused("TASK_NOT_FOUND");
  });

  it("hears of a cancellation", { needs: ["script"] }, async (talk) => {
    const { id } = await talk.start("hang");
    const stream = await talk.subscribe({ id }).ok();
    const first = await stream.next();
    assert.equal(first?.type, "task");
    await talk.cancel({ id }).task();
    assert.equal(statesOf(await stream.rest()).at(-1), "canceled");
  });

  it("0.3 says `final` once, on the last event", { on: v03, needs: ["script"] }, async (talk) => {
    const events = (await (await talk.follow("slow")).streams[0]?.rest()) ?? [];
    assert.equal(events.filter((event) => event.type === "status" && event.final === true).length, 1);
    const last = events.at(-1);
    assert.ok(last?.type === "status" && last.final === true);
  });

  it("HTTP+JSON has it under GET too, as the annotation of the service says", {
    on: both(rest, v1),
    needs: ["script"],
  }, async (talk) => {
    const { id } = await talk.start("hang");
    const stream = httpStream(await restCall(talk.options, "1.0", "GET", `/tasks/${id}:subscribe`), dialect.event);
    const first = await stream.next();
    assert.equal(firstTask(first === undefined ? [] : [first]).id, id);
    await talk.cancel({ id }).task();
    assert.equal(statesOf(await stream.rest()).at(-1), "canceled");
  });

  it("Last-Event-ID goes on after that event", { on: http, needs: ["script", "promises"] }, async (talk) => {
    const { id, streams } = await talk.follow("slow");
    const whole = (await streams[0]?.rest()) ?? [];
    const ids = whole.map(({ eventId }) => Number(eventId));
    assert.deepEqual(
      ids,
      [...ids].sort((a, b) => a - b),
      "ids rise",
    );
    for (const [at, event] of whole.entries()) {
      const again = talk.with({ headers: { "last-event-id": String(event.eventId) } });
      const rest = await (await again.subscribe({ id }).ok()).rest();
      assert.deepEqual(rest.slice(1), whole.slice(at + 1), `after ${event.eventId}`);
      assert.equal(assembledText(rest), "half, done");
    }
  });

  it("Last-Event-ID that is no number is refused", { on: http, needs: ["script", "promises"] }, async (talk) => {
    const { id } = await talk.run("ask");
    for (const header of ["x", "-1", "1.5", "99999999999999999999"]) {
      await talk
        .with({ headers: { "last-event-id": header } })
        .subscribe({ id })
        .refused("INVALID_PARAMS");
    }
  });
});
