import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { deviates } from "../deviation.js";
import { both, jsonRpc, section, v1, v03 } from "../table/case.js";
import type { Talk } from "../table/talk.js";
import { httpStream } from "../wires/http-stream.js";
import { METHODS, post, readJsonRpc } from "../wires/json-rpc.js";
import { readSse } from "../wires/sse.js";

const on = jsonRpc;

/** A send in the version of the wire, in an envelope of the case's own. */
function sending(talk: Talk, envelope: object): string {
  const { version } = talk.wire;
  const message =
    version === "1.0"
      ? { messageId: randomUUID(), role: "ROLE_USER", parts: [{ text: "hello" }] }
      : { kind: "message", messageId: randomUUID(), role: "user", parts: [{ kind: "text", text: "hello" }] };
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method: METHODS[version].send, params: { message }, ...envelope });
}

const answer = async (talk: Talk, body: string | Buffer, id: unknown, headers: Record<string, string> = {}) =>
  readJsonRpc(await post(talk.with({ headers }).options, talk.wire.version, body), id, talk.wire.version);

async function refused(talk: Talk, body: string | Buffer, id: unknown, name: string): Promise<void> {
  const { error } = await answer(talk, body, id);
  if (error === undefined) return deviates("answer", `must be ${name}`);
  assert.deepEqual(error.names, [name]);
}

export const jsonRpcBinding = section("9", "JSON-RPC Protocol Binding", "E8 E20 R5", (it) => {
  for (const [what, body] of [
    ["nothing", ""],
    ["half an object", '{"jsonrpc":"2.0"'],
    ["words", "hello"],
    ["a trailing comma", '{"jsonrpc":"2.0","id":1,}'],
    ["single quotes", "{'jsonrpc':'2.0'}"],
    ["NaN", '{"jsonrpc":"2.0","id":NaN,"method":"x"}'],
  ] as const) {
    it(`9.5 ${what}: JSONParseError, with a null id`, { on }, async (talk) => {
      await refused(talk, body, null, "PARSE_ERROR");
    });
  }

  it("9.5 a body that is not UTF-8: JSONParseError", { on }, async (talk) => {
    const body = Buffer.from(sending(talk, {}).replace("hello", "h\u00e9llo"), "latin1");
    await refused(talk, body, null, "PARSE_ERROR");
  });

  for (const [what, body] of [
    ["a text", '"SendMessage"'],
    ["a number", "7"],
    ["null", "null"],
    ["true", "true"],
    ["an empty object", "{}"],
    ["an empty batch", "[]"],
  ] as const) {
    it(`9.5 ${what}: InvalidRequestError, with a null id`, { on }, async (talk) => {
      await refused(talk, body, null, "INVALID_REQUEST");
    });
  }

  it("9.3 another version of JSON-RPC: InvalidRequestError", { on }, async (talk) => {
    for (const jsonrpc of ["1.0", "2", 2, null, undefined]) {
      await refused(talk, sending(talk, { jsonrpc }), 1, "INVALID_REQUEST");
    }
  });

  it("9.3 a method that is no text: InvalidRequestError", { on }, async (talk) => {
    for (const method of [7, null, {}, ["SendMessage"], undefined]) {
      await refused(talk, sending(talk, { method }), 1, "INVALID_REQUEST");
    }
  });

  for (const id of ["a text", "", 0, 7, -3, 9_007_199_254_740_991, "ü👍", null]) {
    it(`9.3 the id ${JSON.stringify(id)} comes back as it is`, { on }, async (talk) => {
      const { result, error } = await answer(talk, sending(talk, { id }), id);
      assert.ok(result !== undefined, error?.message);
    });
  }

  for (const id of [{}, [], true, 1.5]) {
    it(`9.3 the id ${JSON.stringify(id)} is none: InvalidRequestError`, { on, needs: ["promises"] }, async (talk) => {
      await refused(talk, sending(talk, { id }), null, "INVALID_REQUEST");
    });
  }

  it("9.3 errors carry the id of the request", { on }, async (talk) => {
    await refused(talk, sending(talk, { id: "mine", params: {} }), "mine", "INVALID_PARAMS");
    await refused(talk, sending(talk, { id: 77, method: "Nope" }), 77, "METHOD_NOT_FOUND");
  });

  it("9.3 params by position: InvalidParamsError", { on }, async (talk) => {
    for (const params of [[], [1], "x", 7, true]) await refused(talk, sending(talk, { params }), 1, "INVALID_PARAMS");
  });

  it("a batch is refused with one error, and nothing of it is done", { on, needs: ["promises"] }, async (talk) => {
    const one = sending(talk, {});
    await refused(talk, `[${one},${sending(talk, { id: 2 })}]`, null, "INVALID_REQUEST");
    const { messageId } = JSON.parse(one).params.message;
    assert.equal((await talk.run("another body", { messageId })).state, "completed");
  });

  it("a notification is refused, since every operation has an answer", { on, needs: ["promises"] }, async (talk) => {
    await refused(talk, sending(talk, { id: undefined }), null, "INVALID_REQUEST");
  });

  it("unknown members of the envelope are ignored", { on }, async (talk) => {
    const { result } = await answer(talk, sending(talk, { extra: { a: 1 } }), 1);
    assert.ok(result !== undefined);
  });

  it("9.4.8 a method without parameters needs none", { on }, async (talk) => {
    const method = METHODS[talk.wire.version].extendedCard;
    const { result, error } = await answer(talk, JSON.stringify({ jsonrpc: "2.0", id: 5, method }), 5);
    assert.ok(result !== undefined, error?.message);
  });

  it("0.3, 7.8: what is deleted is confirmed with null", {
    on: both(on, v03),
    needs: ["script", "webhooks"],
  }, async (talk) => {
    const { id } = await talk.run("ask");
    await talk.createPush({ id, push: { id: "gone", url: talk.target.webhooks?.open().url as string } }).ok();
    const params = { id, pushNotificationConfigId: "gone" };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 6, method: METHODS["0.3"].deletePush, params });
    assert.equal((await answer(talk, body, 6)).result, null);
  });

  for (const type of [
    "application/json",
    "application/json; charset=utf-8",
    "Application/JSON",
    "application/a2a+json",
  ]) {
    it(`9.1 ${type} is taken`, { on }, async (talk) => {
      const { result, error } = await answer(talk, sending(talk, {}), 1, { "content-type": type });
      assert.ok(result !== undefined, error?.message);
    });
  }

  for (const type of ["text/plain", "application/xml", "multipart/form-data", "application/x-www-form-urlencoded"]) {
    it(`9.1 ${type} is not`, { on }, async (talk) => {
      const reply = await post(
        talk.with({ headers: { "content-type": type } }).options,
        talk.wire.version,
        sending(talk, {}),
      );
      await reply.text();
      assert.ok([400, 415].includes(reply.facts.status) || reply.facts.status === 200, `${reply.facts.status}`);
      assert.notEqual(reply.facts.status, 200);
    });
  }

  it("9.1 answers are application/json", { on }, async (talk) => {
    const reply = await post(talk.options, talk.wire.version, sending(talk, {}));
    await reply.text();
    assert.match(reply.facts.headers["content-type"] ?? "", /^application\/json(;|$)/);
  });

  it("9.4.2 each event of a stream is a response with the id of the request", {
    on,
    needs: ["script"],
  }, async (talk) => {
    const method = METHODS[talk.wire.version].stream;
    const reply = await post(talk.options, talk.wire.version, sending(talk, { id: "stream-1", method }));
    assert.equal(reply.facts.status, 200);
    assert.match(reply.facts.headers["content-type"] ?? "", /^text\/event-stream(;|$)/);
    let events = 0;
    for await (const { data } of readSse(reply.message)) {
      const { jsonrpc, id, result } = JSON.parse(data);
      assert.deepEqual([jsonrpc, id, typeof result], ["2.0", "stream-1", "object"]);
      events += 1;
    }
    assert.ok(events > 1);
  });

  it("a stream is not to be kept or packed on its way", { on, needs: ["script", "promises"] }, async (talk) => {
    const method = METHODS[talk.wire.version].stream;
    const reply = await post(talk.options, talk.wire.version, sending(talk, { method }));
    const { headers } = reply.facts;
    assert.match(headers["cache-control"] ?? "", /no-(cache|store|transform)/);
    assert.equal(headers["content-encoding"], undefined);
    httpStream(reply, () => deviates("stream", "was closed")).close();
  });

  it("other methods than POST: 405", { on }, async (talk) => {
    const { http } = await import("../wires/http.js");
    const headers = { authorization: `Bearer ${talk.options.token}` };
    for (const method of ["GET", "PUT", "DELETE", "PATCH"]) {
      const reply = await http(talk.options.agent.base, { method, headers });
      await reply.text();
      assert.equal(reply.facts.status, 405, method);
      assert.match(reply.facts.headers.allow ?? "", /\bPOST\b/);
    }
  });

  it("a body of more than a mebibyte: 413 with an error", { on, needs: ["promises"] }, async (talk) => {
    const body = sending(talk, {}).replace("hello", "x".repeat(1_100_000));
    const reply = await post(talk.options, talk.wire.version, body);
    assert.equal(reply.facts.status, 413);
    assert.match(await reply.text(), /"error"/);
  });

  it("9.5 the details of an error are a list of typed objects", { on: both(on, v1) }, async (talk) => {
    const { error } = await answer(talk, sending(talk, { params: {} }), 1);
    assert.ok((error?.details.length ?? 0) > 0);
  });

  it("the interface tenant must be the one of the URL, or be left out", {
    on: both(on, v1),
    needs: ["promises"],
  }, async (talk) => {
    assert.equal((await talk.run("hello", { tenant: "default" })).state, "completed");
    await talk.send({ text: "hello", tenant: "another" }).refused("INVALID_PARAMS");
    const { id } = await talk.run("hello");
    await talk.get({ id, tenant: "another" }).refused("INVALID_PARAMS");
  });

  it("the endpoint takes a slash at its end", { on, needs: ["promises"] }, async (talk) => {
    const { agent } = talk.options;
    const slashed = talk.with({ agent: { ...agent, base: `${agent.base}/` } });
    assert.equal((await slashed.run("hello")).state, "completed");
  });
});
