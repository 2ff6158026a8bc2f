import assert from "node:assert/strict";
import { grpc, jsonRpc, rest, section, v03 } from "../table/case.js";
import { unary } from "../wires/grpc.js";
import { METHODS, post, readJsonRpc } from "../wires/json-rpc.js";
import { rest as restCall } from "../wires/rest.js";
import type { Operation } from "../words.js";

export const methodMapping = section("5.3", "Method Mapping Reference", "E8 E20", (it) => {
  for (const name of ["Nope", "sendMessage", "message/nope", "", "constructor", "__proto__", "toString"]) {
    it(`${name === "" ? "no name" : name} is no method`, { on: jsonRpc }, async (talk) => {
      const { version } = talk.wire;
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: name, params: {} });
      const { error } = await readJsonRpc(await post(talk.options, version, body), 1, version);
      assert.deepEqual(error?.names, [name === "" ? "INVALID_REQUEST" : "METHOD_NOT_FOUND"]);
    });
  }

  it("methods of the other version are no methods of this one", { on: jsonRpc }, async (talk) => {
    const { version } = talk.wire;
    for (const name of Object.values(METHODS[version === "1.0" ? "0.3" : "1.0"])) {
      if (name === null) continue;
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: name, params: { id: "x" } });
      const { error } = await readJsonRpc(await post(talk.options, version, body), 1, version);
      assert.deepEqual(error?.names, ["METHOD_NOT_FOUND"], name);
    }
  });

  it("every method of its version is known", { on: jsonRpc }, async (talk) => {
    const { version } = talk.wire;
    for (const [operation, name] of Object.entries(METHODS[version]) as [Operation, string | null][]) {
      if (name === null) continue;
      // An id that is no task: whatever the answer is, it must not be that there is no such method.
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: name, params: { id: "x", taskId: "x" } });
      const reply = await post(talk.options, version, body);
      const { error } = await readJsonRpc(reply, 1, version);
      assert.ok(!error?.names.includes("METHOD_NOT_FOUND"), operation);
    }
  });

  for (const [method, path] of [
    ["GET", "/message:send"],
    ["PUT", "/message:send"],
    ["POST", "/message:nope"],
    ["POST", "/tasks/x"],
    ["DELETE", "/tasks/x"],
    ["GET", "/tasks/x:cancel"],
    ["POST", "/tasks/x:nope"],
    ["POST", "/tasks"],
    ["PATCH", "/tasks/x/pushNotificationConfigs/y"],
    ["GET", "/nope"],
    ["GET", "/tasks/x/nope"],
    ["POST", "/extendedAgentCard"],
  ] as const) {
    it(`${method} ${path} is not there`, { on: rest }, async (talk) => {
      const at = talk.wire.version === "1.0" ? path : `/v1${path.replace("/extendedAgentCard", "/card")}`;
      const reply = await restCall(talk.options, talk.wire.version, method, at, method === "GET" ? undefined : "{}");
      await reply.text();
      assert.ok([404, 405].includes(reply.facts.status), `${reply.facts.status}`);
      if (reply.facts.status === 405) assert.ok(reply.facts.headers.allow, "RFC 9110, 15.5.6: 405 MUST have Allow");
    });
  }

  it("a call that the service does not have: UNIMPLEMENTED", { on: grpc }, async (talk) => {
    const answer = await unary(talk.options, talk.wire.version, "Nope", Buffer.alloc(0));
    assert.ok("error" in answer);
    assert.equal("error" in answer && answer.error.facts.status, 12);
  });

  it("0.3 has no list over JSON-RPC", { on: (wire) => v03(wire) && jsonRpc(wire) }, async (talk) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tasks/list", params: {} });
    const { error } = await readJsonRpc(await post(talk.options, "0.3", body), 1, "0.3");
    assert.ok(error?.names.includes("METHOD_NOT_FOUND") || error?.names.includes("UNSUPPORTED_OPERATION"));
  });
});
