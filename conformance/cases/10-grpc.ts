import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { both, grpc, section, v1, v03 } from "../table/case.js";
import { statesOf } from "../table/look.js";
import { a2aReason, fieldsOf } from "../wires/errors.js";

const on = grpc;

export const grpcBinding = section("10", "gRPC Protocol Binding", "E20", (it) => {
  it("10.6 an error of A2A has an ErrorInfo in its details", { on: both(on, v1) }, async (talk) => {
    const error = await talk.get({ id: randomUUID() }).refused("TASK_NOT_FOUND");
    assert.equal(error.facts.status, 5);
    assert.equal(a2aReason(error.details), "TASK_NOT_FOUND");
  });

  it("10.6 an error of validation has a BadRequest in its details", { on: both(on, v1) }, async (talk) => {
    const error = await talk.send({ without: ["message.parts"] }).refused("INVALID_PARAMS");
    assert.equal(error.facts.status, 3);
    assert.ok(fieldsOf(error).includes("message.parts"), JSON.stringify(error.details));
  });

  it("10.2 service parameters are metadata, in any case", { on: both(on, v1) }, async (talk) => {
    assert.equal((await talk.with({ headers: { "A2A-Version": "1.0" } }).run("hello")).state, "completed");
    await talk
      .with({ headers: { "a2a-version": "7.0" } })
      .send({ text: "hello" })
      .refused("VERSION_NOT_SUPPORTED");
  });

  it("4.4.6 the interface tenant names the agent", { on: both(on, v1), needs: ["plain agent"] }, async (talk) => {
    await talk
      .send({ text: "hello", tenant: "default/nobody" })
      .refused("TASK_NOT_FOUND")
      .catch(async () => {
        const reply = await talk.send({ text: "hello", tenant: "default/nobody" }).reply();
        assert.equal(reply.type, "error");
      });
    const { id } = await talk.plain.run("hello");
    await talk.get({ id }).refused("TASK_NOT_FOUND");
    assert.equal((await talk.plain.get({ id }).task()).id, id);
  });

  it("0.3 names the agent in metadata", { on: both(on, v03), needs: ["plain agent"] }, async (talk) => {
    const { id } = await talk.plain.run("hello");
    assert.equal((await talk.plain.get({ id }).task()).id, id);
    await talk.get({ id }).refused("TASK_NOT_FOUND");
  });

  it("who names no agent reaches the default one", { on, needs: ["plain agent", "promises"] }, async (talk) => {
    const { grpcTenant: _, grpcMetadata: __, ...unnamed } = talk.options.agent;
    const { id } = await talk.with({ agent: unnamed }).run("hello");
    assert.equal((await talk.get({ id }).task()).id, id, "which is the agent of these cases");
  });

  it("0.3 names a task as a resource", { on: both(on, v03) }, async (talk) => {
    const { id } = await talk.run("hello");
    for (const name of [id, `task/${id}`, `tasks/${id}/x`, `tasks/`, ""]) {
      const reply = await talk.get({ id, replace: { id: name } }).reply();
      assert.equal(reply.type, "error", name);
    }
  });

  it("a call that its client gives up leaves the task alone", { on, needs: ["script"] }, async (talk) => {
    const stream = await talk.stream({ text: "slow" }).ok();
    const first = await stream.next();
    assert.ok(first?.type === "task");
    stream.close();
    assert.equal((await talk.until(first.task.id, "completed")).state, "completed");
  });

  it("10.7 many streams at once on one connection", { on, needs: ["script"] }, async (talk) => {
    const streams = await Promise.all(Array.from({ length: 20 }, () => talk.stream({ text: "steps" }).ok()));
    for (const events of await Promise.all(streams.map((stream) => stream.rest()))) {
      assert.equal(statesOf(events).at(-1), "completed");
    }
  });

  it("a message of more than a mebibyte is refused", { on, needs: ["promises"] }, async (talk) => {
    const reply = await talk.send({ text: "x".repeat(1_200_000) }).reply();
    assert.equal(reply.type, "error");
    if (reply.type === "error") assert.ok([3, 8].includes(reply.error.facts.status), `${reply.error.facts.status}`);
  });
});
