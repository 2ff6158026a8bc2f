import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type Options, section } from "../table/case.js";

const plain: Options = { needs: ["plain agent"] };

export const capabilities = section("3.3.4", "Capability Validation", "E13", (it) => {
  it("without push, each of its operations: PushNotificationNotSupported", plain, async (talk) => {
    const { id } = await talk.plain.run("hello");
    const push = { id: "x", url: "https://client.example/hook" };
    await talk.plain.createPush({ id, push }).refused("PUSH_NOTIFICATION_NOT_SUPPORTED");
    await talk.plain.getPush({ id, pushId: "x" }).refused("PUSH_NOTIFICATION_NOT_SUPPORTED");
    await talk.plain.listPush({ id }).refused("PUSH_NOTIFICATION_NOT_SUPPORTED");
    await talk.plain.deletePush({ id, pushId: "x" }).refused("PUSH_NOTIFICATION_NOT_SUPPORTED");
  });

  it("without push, a message that asks for it is refused, and not taken", plain, async (talk) => {
    const messageId = randomUUID();
    const push = { url: "https://client.example/hook" };
    await talk.plain.send({ text: "hello", messageId, push }).refused("PUSH_NOTIFICATION_NOT_SUPPORTED");
    assert.equal((await talk.plain.run("another body", { messageId })).state, "completed");
  });

  it("without streaming: UnsupportedOperation", plain, async (talk) => {
    await talk.plain.stream({ text: "hello" }).refused("UNSUPPORTED_OPERATION");
    const { id } = await talk.plain.run("ask");
    await talk.plain.subscribe({ id }).refused("UNSUPPORTED_OPERATION");
  });

  it("without streaming, a refused message makes no task", { needs: ["plain agent", "promises"] }, async (talk) => {
    const messageId = randomUUID();
    await talk.plain.stream({ text: "hello", messageId }).refused("UNSUPPORTED_OPERATION");
    assert.equal((await talk.plain.run("another body", { messageId })).state, "completed");
  });

  it("without follow-ups: UnsupportedOperation", plain, async (talk) => {
    const { id } = await talk.plain.run("ask");
    await talk.plain.send({ text: "the red one", taskId: id }).refused("UNSUPPORTED_OPERATION");
  });

  it("what is not switched off is there", plain, async (talk) => {
    const { id } = await talk.plain.run("hello");
    assert.equal((await talk.plain.get({ id }).task()).state, "completed");
  });
});
