import { describe, expect, it } from "vitest";
import { EnvelopeError, readEnvelope } from "./envelope.js";

const read = (body: string | Buffer) => readEnvelope(Buffer.from(body as string));

function failureOf(body: string | Buffer): EnvelopeError {
  try {
    read(body);
  } catch (error) {
    if (error instanceof EnvelopeError) return error;
    throw error;
  }
  throw new Error("it was accepted");
}

describe("the JSON-RPC envelope", () => {
  it.each([["a"], [""], [0], [-1], [9007199254740991], [null]])("takes the id %j as it is", (id) => {
    expect(read(JSON.stringify({ jsonrpc: "2.0", id, method: "m", params: { a: 1 } }))).toEqual({
      id,
      method: "m",
      params: { a: 1 },
    });
  });

  it.each([
    "",
    " ",
    "{",
    "nul",
    "{'a':1}",
    "[1,",
    "{}x",
    "\ufeff{}",
    '{"a":"\\x"}',
    "{".repeat(100_000),
    "[".repeat(500_000),
  ])("broken JSON is a parse error: %#", (body) => {
    const failure = failureOf(body);
    expect(failure.reason).toBe("PARSE_ERROR");
    expect(failure.message).not.toContain("position");
  });

  it("bytes that are no UTF-8 are a parse error", () => {
    const body = Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
    expect(failureOf(body).reason).toBe("PARSE_ERROR");
  });

  it.each([
    ["a batch", "[]", null],
    ["a batch", '[{"jsonrpc":"2.0","id":1,"method":"m"}]', null],
    ["no object", '"text"', null],
    ["no object", "null", null],
    ["no object", "7", null],
    ["no id", '{"jsonrpc":"2.0","method":"m"}', null],
    ["an id of another type", '{"jsonrpc":"2.0","id":{},"method":"m"}', null],
    ["an id of another type", '{"jsonrpc":"2.0","id":true,"method":"m"}', null],
    ["a fraction as id", '{"jsonrpc":"2.0","id":1.5,"method":"m"}', null],
    ["an id that JSON numbers cannot hold", '{"jsonrpc":"2.0","id":9007199254740993,"method":"m"}', null],
    ["an id that JSON numbers cannot hold", '{"jsonrpc":"2.0","id":1e999,"method":"m"}', null],
    ["a huge id", `{"jsonrpc":"2.0","id":"${"x".repeat(257)}","method":"m"}`, null],
    ["half a character as id", '{"jsonrpc":"2.0","id":"\\ud800","method":"m"}', null],
    ["another version", '{"jsonrpc":"1.0","id":1,"method":"m"}', 1],
    ["no version", '{"id":"x","method":"m"}', "x"],
    ["no method", '{"jsonrpc":"2.0","id":2}', 2],
    ["a method that is no text", '{"jsonrpc":"2.0","id":3,"method":7}', 3],
    ["an empty method", '{"jsonrpc":"2.0","id":4,"method":""}', 4],
  ])("%s is an invalid request: %s", (_what, body, id) => {
    const failure = failureOf(body);
    expect(failure.reason).toBe("INVALID_REQUEST");
    expect(failure.id).toBe(id);
  });
});
