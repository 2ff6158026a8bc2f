import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { grpc, rest, section, v1 } from "../table/case.js";
import type { Talk } from "../table/talk.js";
import { A2A_ERRORS, a2aReason, GRPC_STATUS } from "../wires/errors.js";
import type { WireError } from "../wires/wire.js";

/** How to come by each error that a server can be brought to. */
const PROVOKED: [string, (talk: Talk) => Promise<WireError>][] = [
  ["TASK_NOT_FOUND", (talk) => talk.get({ id: randomUUID() }).refused("TASK_NOT_FOUND")],
  [
    "TASK_NOT_CANCELABLE",
    async (talk) => talk.cancel({ id: (await talk.run("hello")).id }).refused("TASK_NOT_CANCELABLE"),
  ],
  [
    "PUSH_NOTIFICATION_NOT_SUPPORTED",
    async (talk) => {
      const { id } = await talk.plain.run("hello");
      return talk.plain.listPush({ id }).refused("PUSH_NOTIFICATION_NOT_SUPPORTED");
    },
  ],
  ["UNSUPPORTED_OPERATION", (talk) => talk.plain.stream({ text: "hello" }).refused("UNSUPPORTED_OPERATION")],
  [
    "VERSION_NOT_SUPPORTED",
    (talk) =>
      talk
        .with({ headers: { "a2a-version": "0.5" } })
        .send({})
        .refused("VERSION_NOT_SUPPORTED"),
  ],
];

export const errorMappings = section("5.4", "Error Code Mappings", "E20", (it) => {
  for (const [name, provoke] of PROVOKED) {
    const needs = ["PUSH_NOTIFICATION_NOT_SUPPORTED", "UNSUPPORTED_OPERATION"].includes(name);
    const expected = A2A_ERRORS[name] as (typeof A2A_ERRORS)[string];
    it(`${name} as the table has it`, { on: v1, ...(needs ? { needs: ["plain agent"] } : {}) }, async (talk) => {
      const { facts, details, message } = await provoke(talk);
      assert.ok(message.length > 0 && message.length < 500);
      assert.equal(a2aReason(details), name, "an ErrorInfo with the reason, in the domain a2a-protocol.org");
      if (talk.wire.binding === "JSONRPC") assert.equal(facts.status, 200);
      if (talk.wire.binding === "HTTP+JSON") assert.equal(facts.status, expected.http);
      if (talk.wire.binding === "GRPC") assert.equal(GRPC_STATUS[facts.status], GRPC_STATUS[expected.grpc]);
    });
  }

  it("an error of validation names the field in a BadRequest", { on: v1 }, async (talk) => {
    await talk.send({ without: ["message.parts"] }).refused("INVALID_PARAMS", { field: "message.parts" });
  });

  it("no error tells of the inside", { on: (wire) => v1(wire) || rest(wire) || grpc(wire) }, async (talk) => {
    const errors = [
      await talk.get({ id: randomUUID() }).refused("TASK_NOT_FOUND"),
      await talk.send({ without: ["message.messageId"] }).refused("INVALID_PARAMS"),
    ];
    for (const { message, details } of errors) {
      assert.doesNotMatch(message + JSON.stringify(details), /\bat .*:\d+:\d+|node_modules|\.[jt]s\b|SELECT |sqlite/i);
    }
  });
});
