import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { not, proto03, section } from "../table/case.js";
import { textOf } from "../table/look.js";

/** The specification lets agents detect duplicates by `messageId`; this product promises it. */
export const idempotency = section("3.3.1", "Idempotency", "E11", (it) => {
  it("the same message again is the same task", { needs: ["promises"] }, async (talk) => {
    const messageId = randomUUID();
    const task = await talk.run("hello", { messageId });
    assert.equal((await talk.run("hello", { messageId })).id, task.id);
    assert.equal((await talk.start("hello", { messageId })).id, task.id);
    const stream = await (await talk.stream({ text: "hello", messageId }).ok()).rest();
    assert.ok(stream[0]?.type === "task" && stream[0].task.id === task.id);
  });

  it("also over every other binding and version", { needs: ["promises"] }, async (talk) => {
    const messageId = randomUUID();
    const task = await talk.run("hello", { messageId });
    for (const other of talk.others("send")) {
      assert.equal((await other.run("hello", { messageId })).id, task.id, other.wire.name);
    }
  });

  it("also with parts and metadata, which each version spells in its own way", {
    on: not(proto03),
    needs: ["promises"],
  }, async (talk) => {
    const ask = {
      messageId: randomUUID(),
      parts: [
        { text: "hello", metadata: { lang: "en" } },
        { data: { a: [1, null, "x"], z: true } },
        { raw: "aGk=", mediaType: "text/plain", filename: "hi.txt" },
        { url: "https://files.example/a.pdf", mediaType: "application/pdf" },
      ],
      messageMetadata: { b: 1, a: { d: 2, c: [3] } },
    };
    const task = await talk.send({ ...ask, blocking: true }).task();
    for (const other of talk.others("send")) {
      // What 0.3 as protobuf cannot say has no twin there.
      if (proto03(other.wire)) continue;
      assert.equal((await other.send({ ...ask, blocking: true }).task()).id, task.id, other.wire.name);
    }
  });

  it("sent at the same time, it is one task", { needs: ["promises"] }, async (talk) => {
    const messageId = randomUUID();
    const sent = [talk, ...talk.others("send")].map((one) => one.start("hello", { messageId }));
    const ids = (await Promise.all(sent)).map(({ id }) => id);
    assert.equal(new Set(ids).size, 1);
  });

  it("how the answer is wanted does not count", { needs: ["promises"] }, async (talk) => {
    const messageId = randomUUID();
    const task = await talk.run("hello", { messageId });
    const again = await talk.start("hello", { messageId, historyLength: 1, acceptedOutputModes: ["text/plain"] });
    assert.equal(again.id, task.id);
  });

  for (const [what, change] of [
    ["another text", { text: "goodbye" }],
    ["other metadata", { text: "hello", messageMetadata: { a: 1 } }],
    ["metadata of the request", { text: "hello", metadata: { a: 1 } }],
    ["another part", { parts: [{ text: "hello" }, { text: "and more" }] }],
    ["another context", { text: "hello", contextId: "another" }],
  ] as const) {
    it(`the same id with ${what} is a conflict`, { needs: ["promises"] }, async (talk) => {
      const messageId = randomUUID();
      const task = await talk.run("hello", { messageId });
      const ask = { ...change, parts: "parts" in change ? [...change.parts] : undefined, messageId };
      const { parts, ...rest } = ask;
      const error = await talk.send(parts === undefined ? rest : { ...rest, parts }).refused("MESSAGE_ID_CONFLICT");
      if (talk.wire.binding === "HTTP+JSON") assert.equal(error.facts.status, 409);
      if (talk.wire.binding === "GRPC") assert.equal(error.facts.status, 6, "ALREADY_EXISTS");
      assert.equal(textOf(await talk.get({ id: task.id }).task()), "hello");
    });
  }

  it("the same id of somebody else is another message", { needs: ["promises", "another caller"] }, async (talk) => {
    const messageId = randomUUID();
    const task = await talk.run("hello", { messageId });
    const other = await (await talk.asStranger()).run("hello", { messageId });
    assert.notEqual(other.id, task.id);
  });

  it("a follow-up that is repeated is taken once", { needs: ["script", "promises"] }, async (talk) => {
    const messageId = randomUUID();
    const { id } = await talk.run("ask");
    const asking = await talk.run("again", { taskId: id, messageId });
    const repeated = await talk.run("again", { taskId: id, messageId });
    assert.equal(repeated.id, id);
    assert.equal(repeated.history?.length, asking.history?.length);
    await talk.run("that is all", { taskId: id });
    assert.equal((await talk.run("again", { taskId: id, messageId })).state, "completed", "also after the end");
  });

  it("a bare message that is repeated is the same message", { needs: ["script", "promises"] }, async (talk) => {
    const messageId = randomUUID();
    const message = await talk.send({ text: "bare words", messageId }).message();
    const again = await talk.send({ text: "bare words", messageId }).message();
    assert.equal(again.messageId, message.messageId);
    assert.deepEqual(again.parts, message.parts);
  });

  it("reading is idempotent", async (talk) => {
    const { id } = await talk.run("hello");
    assert.deepEqual(await talk.get({ id }).task(), await talk.get({ id }).task());
  });
});
