import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { grpc, http, jsonRpc, not, section, v1, v03 } from "../table/case.js";

/** A field that must be there, as each wire would have it named. */
const REQUIRED = ["message.messageId", "message.role", "message.parts"];

export const fieldPresence = section("5.7", "Field Presence and Optionality", "E20 R5", (it) => {
  for (const field of REQUIRED) {
    it(`a message without ${field} is refused`, async (talk) => {
      const options = talk.wire.version === "1.0" ? { field } : {};
      await talk.send({ without: [field] }).refused("INVALID_PARAMS", options);
      await talk.stream({ without: [field] }).refused("INVALID_PARAMS", options);
    });
  }

  it("a request without a message is refused", async (talk) => {
    await talk.send({ without: ["message"] }).refused("INVALID_PARAMS");
  });

  it("a list of parts that is empty is refused", async (talk) => {
    await talk.send({ parts: [] }).refused("INVALID_PARAMS");
  });

  it("an empty messageId is refused", async (talk) => {
    await talk.send({ messageId: "" }).refused("INVALID_PARAMS");
  });

  it("a part without content is refused", async (talk) => {
    const parts = talk.wire.version === "1.0" ? "message.parts" : "message.parts";
    const empty = talk.wire.binding === "JSONRPC" && talk.wire.version === "0.3" ? [{ kind: "text" }] : [{}];
    await talk.send({ replace: { [parts]: empty } }).refused("INVALID_PARAMS");
  });

  it("a part with two contents is refused", { on: (wire) => v1(wire) && http(wire) }, async (talk) => {
    for (const part of [
      { text: "a", data: 1 },
      { raw: "", url: "u" },
      { text: "", raw: "aGk=" },
    ]) {
      await talk.send({ replace: { "message.parts": [part] } }).refused("INVALID_PARAMS");
    }
  });

  it("the role of a request is the client's", async (talk) => {
    const proto = talk.wire.version === "1.0" || talk.wire.binding !== "JSONRPC";
    const roles = proto ? ["ROLE_AGENT", "ROLE_UNSPECIFIED"] : ["agent", ""];
    for (const role of roles) await talk.send({ replace: { "message.role": role } }).refused("INVALID_PARAMS");
  });

  it("a role that nobody knows is refused", async (talk) => {
    const role = talk.wire.binding === "GRPC" ? 77 : "ROLE_SYSTEM";
    await talk.send({ replace: { "message.role": role } }).refused("INVALID_PARAMS");
  });

  it("roles of the other version are none of this one", { on: jsonRpc }, async (talk) => {
    const role = talk.wire.version === "1.0" ? "user" : "ROLE_USER";
    await talk.send({ replace: { "message.role": role } }).refused("INVALID_PARAMS");
  });

  it("parts of the other version are none of this one", { on: jsonRpc }, async (talk) => {
    const part = talk.wire.version === "1.0" ? { kind: "text" } : { text: "hello" };
    await talk.send({ replace: { "message.parts": [part] } }).refused("INVALID_PARAMS");
  });

  it("the id of a task is required", { on: not((wire) => wire.binding === "HTTP+JSON") }, async (talk) => {
    await talk.get({}).refused("INVALID_PARAMS");
    await talk.cancel({}).refused("INVALID_PARAMS");
    await talk.subscribe({}).refused("INVALID_PARAMS");
    await talk.get({ id: "" }).refused("INVALID_PARAMS");
  });

  for (const [field, values] of [
    ["message", ["hello", 7, []]],
    ["message.messageId", [7, {}, ["x"], true]],
    ["message.parts", ["hello", {}, 7]],
    ["message.contextId", [7, {}]],
    ["message.taskId", [7, []]],
    ["message.metadata", ["x", [], 7]],
    ["message.extensions", ["x", [7]]],
    ["metadata", ["x", [], 7]],
  ] as const) {
    it(`${field} of another type is refused`, { on: http }, async (talk) => {
      for (const value of values) await talk.send({ replace: { [field]: value } }).refused("INVALID_PARAMS");
    });
  }

  it("null stands for a field that is not set", { on: (wire) => v1(wire) && http(wire) }, async (talk) => {
    const replace = {
      "message.contextId": null,
      "message.taskId": null,
      "message.metadata": null,
      "message.extensions": null,
      configuration: null,
      metadata: null,
      tenant: null,
    };
    assert.equal((await talk.send({ text: "hello", replace, ...blocking }).task()).state, "completed");
  });

  it("empty text stands for a field that is not set", { on: v1 }, async (talk) => {
    const task = await talk.send({ text: "hello", contextId: "", taskId: "", blocking: true }).task();
    assert.ok(task.contextId.length > 0);
  });

  it("unrecognized fields are ignored", { on: http }, async (talk) => {
    const replace = { "message.fromTheFuture": { a: 1 }, "configuration.newFlag": true, alsoNew: [1] };
    const task = await talk.send({ text: "hello", blocking: true, replace }).task();
    assert.equal(task.state, "completed");
    assert.ok(!JSON.stringify(task).includes("fromTheFuture"));
  });

  it("ids are long and odd, but not without bounds", async (talk) => {
    const messageId = `${"ä任👍 /?#%&".repeat(5)}${randomUUID()}`;
    assert.equal((await talk.run("hello", { messageId })).history?.[0]?.messageId, messageId);
    await talk.send({ messageId: "x".repeat(100_000) }).refused("INVALID_PARAMS");
    await talk.send({ contextId: "x".repeat(100_000) }).refused("INVALID_PARAMS");
  });

  it("0.3 says of what kind a part is", { on: (wire) => v03(wire) && jsonRpc(wire) }, async (talk) => {
    await talk.send({ replace: { "message.parts": [{ kind: "nope", text: "x" }] } }).refused("INVALID_PARAMS");
    await talk.send({ replace: { "message.kind": "task" } }).refused("INVALID_PARAMS");
  });

  it("bytes that are no message are refused", { on: grpc }, async (talk) => {
    const { unary } = await import("../wires/grpc.js");
    for (const bytes of [Buffer.from([0xff, 0xff, 0xff]), Buffer.from([0x0a, 0x7f, 0x01]), Buffer.alloc(100, 0xff)]) {
      const answer = await unary(talk.options, talk.wire.version, "SendMessage", bytes);
      assert.ok("error" in answer, "must be refused");
    }
  });
});

const blocking = {};
