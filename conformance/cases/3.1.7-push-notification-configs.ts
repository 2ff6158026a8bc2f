import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { both, jsonRpc, not, type Options, proto03, rest, section, v1, v03 } from "../table/case.js";

const scripted: Options = { needs: ["script", "webhooks"] };
const crud: Options = { needs: ["webhooks"] };

/** Where the id of the task is a field, and not a part of a path or a name. */
const inMessages = both(not(rest), not(proto03));

/** 3.1.7 to 3.1.10: one section, since each of the four is seen through the others. */
export const pushConfigs = section("3.1.7–10", "Push Notification Configs", "E20 E23", (it) => {
  it("a configuration is created with an id, and found again", crud, async (talk) => {
    const { id } = await talk.run("ask");
    const url = talk.target.webhooks?.open().url as string;
    const made = await talk.createPush({ id, push: { url, token: "a-token" } }).ok();
    assert.ok(made.id, "with assigned ID");
    assert.equal(made.taskId, id);
    assert.equal(made.url, url);
    const found = await talk.getPush({ id, pushId: made.id }).ok();
    assert.equal(found.id, made.id);
    assert.equal(found.url, url);
    assert.equal(found.taskId, id);
  });

  it("an id that the client names is kept", crud, async (talk) => {
    const { id } = await talk.run("ask");
    const url = talk.target.webhooks?.open().url as string;
    const made = await talk.createPush({ id, push: { id: "mine", url } }).ok();
    assert.equal(made.id, "mine");
    assert.equal((await talk.getPush({ id, pushId: "mine" }).ok()).url, url);
  });

  it("several configurations of a task are listed", crud, async (talk) => {
    const { id } = await talk.run("ask");
    assert.deepEqual(await talk.listPush({ id }).ok(), []);
    for (const name of ["one", "two", "three"]) {
      await talk.createPush({ id, push: { id: name, url: talk.target.webhooks?.open().url as string } }).ok();
    }
    const listed = await talk.listPush({ id }).ok();
    assert.deepEqual(listed.map((push) => push.id).sort(), ["one", "three", "two"]);
    assert.ok(listed.every(({ taskId }) => taskId === id));
  });

  it("a deleted configuration is gone; deleting is idempotent", crud, async (talk) => {
    const { id } = await talk.run("ask");
    const made = await talk.createPush({ id, push: { url: talk.target.webhooks?.open().url as string } }).ok();
    await talk.deletePush({ id, pushId: made.id }).ok();
    assert.deepEqual(await talk.listPush({ id }).ok(), []);
    await talk.getPush({ id, pushId: made.id }).refused("TASK_NOT_FOUND");
    await talk.deletePush({ id, pushId: made.id }).ok();
  });

  it("a configuration that is not there: TaskNotFound", async (talk) => {
    const { id } = await talk.run("hello");
    await talk.getPush({ id, pushId: randomUUID() }).refused("TASK_NOT_FOUND");
  });

  it("of a task that is not there: TaskNotFound", crud, async (talk) => {
    const id = randomUUID();
    const url = talk.target.webhooks?.open().url as string;
    await talk.createPush({ id, push: { url } }).refused("TASK_NOT_FOUND");
    await talk.getPush({ id, pushId: "x" }).refused("TASK_NOT_FOUND");
    await talk.listPush({ id }).refused("TASK_NOT_FOUND");
    await talk.deletePush({ id, pushId: "x" }).refused("TASK_NOT_FOUND");
  });

  it("of somebody else's task: TaskNotFound, and nothing changes", {
    needs: ["webhooks", "another caller"],
  }, async (talk) => {
    const { id } = await talk.run("ask");
    const url = talk.target.webhooks?.open().url as string;
    const { id: pushId } = await talk.createPush({ id, push: { url } }).ok();
    const stranger = await talk.asStranger();
    await stranger.createPush({ id, push: { url } }).refused("TASK_NOT_FOUND");
    await stranger.getPush({ id, pushId }).refused("TASK_NOT_FOUND");
    await stranger.listPush({ id }).refused("TASK_NOT_FOUND");
    await stranger.deletePush({ id, pushId }).refused("TASK_NOT_FOUND");
    assert.equal((await talk.listPush({ id }).ok()).length, 1);
  });

  it("the same configuration is seen on every binding and in both versions", crud, async (talk) => {
    const { id } = await talk.run("ask");
    const url = talk.target.webhooks?.open().url as string;
    const { id: pushId } = await talk.createPush({ id, push: { url } }).ok();
    for (const other of talk.others("getPush")) {
      const found = await other.getPush({ id, pushId }).ok();
      assert.equal(found.url, url, other.wire.name);
      assert.equal((await other.listPush({ id }).ok()).length, 1, other.wire.name);
    }
  });

  it("a URL is required", crud, async (talk) => {
    const { id } = await talk.run("ask");
    await talk.createPush({ id, push: { url: "" } }).refused("INVALID_PARAMS");
    assert.deepEqual(await talk.listPush({ id }).ok(), []);
  });

  for (const [what, url] of [
    ["is no URL", "not a url"],
    ["is no web address", "file:///etc/passwd"],
    ["names a private address", "http://10.0.0.1/hook"],
    ["names the metadata service", "http://169.254.169.254/latest/meta-data"],
    ["has credentials in it", "http://user:secret@127.0.0.1/hook"],
  ] as const) {
    it(`a URL that ${what} is refused`, { needs: ["webhooks", "promises"] }, async (talk) => {
      const { id } = await talk.run("ask");
      await talk.createPush({ id, push: { url } }).refused("INVALID_PARAMS");
      assert.deepEqual(await talk.listPush({ id }).ok(), []);
    });
  }

  it("header values with line breaks are refused", { needs: ["webhooks", "promises"] }, async (talk) => {
    const { id } = await talk.run("ask");
    const url = talk.target.webhooks?.open().url as string;
    await talk.createPush({ id, push: { url, token: "a\r\nX-Evil: 1" } }).refused("INVALID_PARAMS");
    const authentication = { scheme: "Bearer", credentials: "a\nb" };
    await talk.createPush({ id, push: { url, authentication } }).refused("INVALID_PARAMS");
  });

  it("a configuration can come with the message", scripted, async (talk) => {
    const webhook = talk.target.webhooks?.open();
    const { id } = await talk.run("steps", { push: { id: "inline", url: webhook?.url as string } });
    const listed = await talk.listPush({ id }).ok();
    assert.deepEqual(
      listed.map((push) => push.id),
      ["inline"],
    );
  });

  it("a configuration can come with a stream", scripted, async (talk) => {
    const webhook = talk.target.webhooks?.open();
    const stream = await talk.stream({ text: "ask", push: { url: webhook?.url as string } }).ok();
    const [first] = await stream.rest();
    assert.ok(first?.type === "task");
    assert.equal((await talk.listPush({ id: first.task.id }).ok()).length, 1);
  });

  it("one that cannot be served refuses the message as a whole", { needs: ["webhooks", "promises"] }, async (talk) => {
    const messageId = randomUUID();
    const push = { url: "http://169.254.169.254/hook" };
    await talk.send({ text: "hello", messageId, push }).refused("INVALID_PARAMS");
    assert.equal((await talk.run("another body", { messageId })).state, "completed", "the message was not taken");
  });

  it("0.3, 7.5: one that is set again is the same, with what it now says", {
    on: v03,
    needs: ["webhooks"],
  }, async (talk) => {
    const { id } = await talk.run("ask");
    const [before, after] = [talk.target.webhooks?.open().url, talk.target.webhooks?.open().url] as [string, string];
    await talk.createPush({ id, push: { id: "mine", url: before } }).ok();
    await talk.createPush({ id, push: { id: "mine", url: after } }).ok();
    const listed = await talk.listPush({ id }).ok();
    assert.deepEqual(
      listed.map(({ url }) => url),
      [after],
    );
  });

  it("0.3, 7.6: without its id, one that is there is given", {
    on: both(v03, jsonRpc),
    needs: ["webhooks"],
  }, async (talk) => {
    const { id } = await talk.run("ask");
    const url = talk.target.webhooks?.open().url as string;
    const made = await talk.createPush({ id, push: { url } }).ok();
    assert.equal((await talk.getPush({ id }).ok()).id, made.id);
  });

  it("the credentials of a configuration are not shown again, or are as they were", {
    needs: ["webhooks"],
  }, async (talk) => {
    const { id } = await talk.run("ask");
    const authentication = { scheme: "Bearer", credentials: "a-secret" };
    const url = talk.target.webhooks?.open().url as string;
    const made = await talk.createPush({ id, push: { id: "mine", url, authentication } }).ok();
    assert.equal(made.authentication?.scheme, "Bearer");
    const shown = made.authentication?.credentials;
    assert.ok(shown === undefined || shown === "a-secret", `${shown}`);
  });

  it("pages are there for many", { on: v1, needs: ["webhooks"] }, async (talk) => {
    const { id } = await talk.run("ask");
    for (const name of ["a", "b", "c"]) {
      await talk.createPush({ id, push: { id: name, url: talk.target.webhooks?.open().url as string } }).ok();
    }
    const page = await talk.listPush({ id, pageSize: 2 }).ok();
    assert.ok(page.length <= 3 && page.length >= 1, "MAY support pagination");
  });

  it("the task id is required", { on: inMessages, needs: ["webhooks"] }, async (talk) => {
    const url = talk.target.webhooks?.open().url as string;
    await talk.createPush({ push: { url } }).refused("INVALID_PARAMS");
    await talk.listPush({}).refused("INVALID_PARAMS");
  });
});
