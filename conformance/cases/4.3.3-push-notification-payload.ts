import assert from "node:assert/strict";
import { checkShape, type Json } from "../shapes/check.js";
import { V1 } from "../shapes/v1.js";
import { V03 } from "../shapes/v03.js";
import { readEvent } from "../spelling/v1.js";
import { type Options, section, v1, v03 } from "../table/case.js";
import type { Delivery, Webhook } from "../targets/webhooks.js";

const scripted: Options = { needs: ["script", "webhooks"] };

/** Deliveries up to the one that says that the task has ended. */
async function untilEnded(webhook: Webhook | undefined, isLast: (body: Json) => boolean): Promise<Delivery[]> {
  const deliveries: Delivery[] = [];
  for (;;) {
    const delivery = await (webhook as Webhook).next();
    deliveries.push(delivery);
    if (isLast(delivery.body as Json)) return deliveries;
  }
}

const endsV1 = (body: Json): boolean =>
  JSON.stringify(body).includes('"TASK_STATE_COMPLETED"') &&
  (body.statusUpdate !== undefined || body.task !== undefined);
const endsV03 = (body: Json): boolean => JSON.stringify(body).includes('"state":"completed"');

export const pushPayload = section("4.3.3", "Push Notification Payload", "E23", (it) => {
  it("is a StreamResponse by POST, as application/a2a+json", { on: v1, ...scripted }, async (talk) => {
    const webhook = talk.target.webhooks?.open();
    const { id } = await talk.run("steps", { push: { url: webhook?.url as string } });
    const deliveries = await untilEnded(webhook, endsV1);
    for (const { method, headers, body } of deliveries) {
      assert.equal(method, "POST");
      assert.match(String(headers["content-type"]), /^application\/a2a\+json(;|$)/);
      checkShape(V1, "StreamResponse", body);
      const event = readEvent(body as Json);
      const taskId = event.type === "task" ? event.task.id : "taskId" in event ? event.taskId : undefined;
      assert.equal(taskId, id);
    }
  });

  it("0.3 callers get the objects of 0.3", { on: v03, ...scripted }, async (talk) => {
    const webhook = talk.target.webhooks?.open();
    await talk.run("steps", { push: { url: webhook?.url as string } });
    for (const { method, headers, body } of await untilEnded(webhook, endsV03)) {
      assert.equal(method, "POST");
      assert.match(String(headers["content-type"]), /^application\/json(;|$)/);
      checkShape(V03, "StreamEvent", body);
    }
  });

  it("comes in the order of the events", { on: v1, ...scripted }, async (talk) => {
    const webhook = talk.target.webhooks?.open();
    await talk.run("steps", { push: { url: webhook?.url as string } });
    const deliveries = await untilEnded(webhook, endsV1);
    const text = deliveries.map(({ body }) => JSON.stringify(body)).join("");
    const at = ["thinking", "one ", "still thinking", "two ", "three"].map((word) => text.indexOf(`"${word}"`));
    const found = at.filter((place) => place >= 0);
    assert.deepEqual(
      found,
      [...found].sort((a, b) => a - b),
    );
  });

  it("carries the credentials of the configuration", scripted, async (talk) => {
    const webhook = talk.target.webhooks?.open();
    const authentication = { scheme: "Bearer", credentials: "secure-client-token" };
    await talk.run("steps", { push: { url: webhook?.url as string, authentication } });
    const delivery = await (webhook as Webhook).next();
    assert.equal(delivery.headers.authorization, "Bearer secure-client-token");
  });

  it("carries the token of the configuration", scripted, async (talk) => {
    const webhook = talk.target.webhooks?.open();
    await talk.run("steps", { push: { url: webhook?.url as string, token: "my-token" } });
    const delivery = await (webhook as Webhook).next();
    assert.equal(delivery.headers["x-a2a-notification-token"], "my-token");
  });

  it("comes to a configuration that was made while the task waited", scripted, async (talk) => {
    const webhook = talk.target.webhooks?.open();
    const { id } = await talk.run("ask");
    await talk.createPush({ id, push: { url: webhook?.url as string } }).ok();
    await talk.run("the red one", { taskId: id });
    const ends = talk.wire.version === "1.0" ? endsV1 : endsV03;
    assert.ok((await untilEnded(webhook, ends)).length > 0);
  });

  it("does not come once the configuration is deleted", scripted, async (talk) => {
    const webhooks = [talk.target.webhooks?.open(), talk.target.webhooks?.open()];
    const { id } = await talk.run("ask");
    const [gone, kept] = [
      await talk.createPush({ id, push: { id: "gone", url: webhooks[0]?.url as string } }).ok(),
      await talk.createPush({ id, push: { id: "kept", url: webhooks[1]?.url as string } }).ok(),
    ];
    await talk.deletePush({ id, pushId: gone.id }).ok();
    assert.equal(kept.id, "kept");
    await talk.run("the red one", { taskId: id });
    const ends = talk.wire.version === "1.0" ? endsV1 : endsV03;
    await untilEnded(webhooks[1], ends);
    assert.deepEqual(webhooks[0]?.received, []);
  });

  it("each event has an id, by which a repeated one is known", {
    needs: ["script", "webhooks", "promises"],
  }, async (talk) => {
    const webhook = talk.target.webhooks?.open();
    await talk.run("steps", { push: { url: webhook?.url as string } });
    const deliveries = await untilEnded(webhook, talk.wire.version === "1.0" ? endsV1 : endsV03);
    const ids = deliveries.map(({ headers }) => headers["x-nuncio-event-id"]);
    assert.ok(ids.every((id) => typeof id === "string" && id !== ""));
    assert.equal(new Set(ids).size, ids.length);
  });
});
