import assert from "node:assert/strict";
import { http, jsonRpc, not, proto03, section, v1 } from "../table/case.js";
import type { Talk } from "../table/talk.js";
import type { Part } from "../words.js";

/** The parts of a message as its task has them afterwards. */
async function kept(talk: Talk, parts: Part[]): Promise<Part[] | undefined> {
  const task = await talk.send({ parts: [{ text: "hello" }, ...parts], blocking: true }).task();
  return task.history?.[0]?.parts.slice(1);
}

const DATA: [string, unknown][] = [
  ["an object", { a: 1, b: { c: [true, false, null, "x", -1.5] } }],
  ["an empty object", {}],
  ["an object with odd keys", { "": 1, "a.b": 2, ключ: 3, $ref: "#", constructor: 4 }], // cspell:disable-line
];
const SCALARS: [string, unknown][] = [
  ["a list", [1, "two", { three: 3 }]],
  ["an empty list", []],
  ["a text", "text"],
  ["a number", 42.5],
  ["a large number", 9_007_199_254_740_991],
  ["a negative number", -0.001],
  ["true", true],
  ["false", false],
  ["null", null],
];
const TEXTS: [string, string][] = [
  ["empty", ""],
  ["of several scripts", "Grüße, 世界, שלום, नमस्ते"], // cspell:disable-line
  ["with characters beyond the basic plane", "👩‍👩‍👧‍👦 𝟘𝟙𝟚"],
  ["with combining characters", "e\u0301 \u1100\u1161\u11a8"],
  ["with line and paragraph separators", "a\u2028b\u2029c\r\nd\te"],
  ["with control characters", "a\u0000b\u0001c\u001b[31m\u007f"],
  ["that looks like markup", `<script>alert("1")</script> & 'quotes' \\ back`],
  ["that looks like an event", "data: {}\n\nevent: end\n\n: comment"],
  ["of sixty thousand characters", "ab👍c".repeat(10_000)],
];

export const coreObjects = section("4.1", "Core Objects", "E20 R5", (it) => {
  for (const [what, text] of TEXTS) {
    it(`4.1.6 a text ${what} comes back as it is`, { needs: ["script"] }, async (talk) => {
      assert.deepEqual(await kept(talk, [{ text }]), [{ text }]);
    });
  }

  for (const [what, data] of DATA) {
    it(`4.1.6 data: ${what}`, { needs: ["script"] }, async (talk) => {
      assert.deepEqual(await kept(talk, [{ data }]), [{ data }]);
    });
  }

  for (const [what, data] of SCALARS) {
    it(`4.1.6 1.0 data may be any JSON value: ${what}`, { on: v1, needs: ["script"] }, async (talk) => {
      assert.deepEqual(await kept(talk, [{ data }]), [{ data }]);
    });
  }

  it("4.1.6 raw bytes, with media type and file name", { on: not(proto03), needs: ["script"] }, async (talk) => {
    const raw = Buffer.from(Uint8Array.from({ length: 256 }, (_, byte) => byte)).toString("base64");
    const part = { raw, mediaType: "application/octet-stream", filename: "all bytes.bin" };
    assert.deepEqual(await kept(talk, [part]), [part]);
  });

  it("4.1.6 raw bytes and a URL, with a media type", { needs: ["script"] }, async (talk) => {
    const parts = [
      { raw: "aGVsbG8=", mediaType: "text/plain" },
      { url: "https://files.example/report.pdf?x=1&y=%20", mediaType: "application/pdf" },
    ];
    assert.deepEqual(await kept(talk, parts), parts);
  });

  it("4.1.6 a media type and a file name may stand with every kind", { on: v1, needs: ["script"] }, async (talk) => {
    const parts = [
      { text: "# title", mediaType: "text/markdown", filename: "title.md" },
      { data: { a: 1 }, mediaType: "application/json", filename: "a.json" },
    ];
    assert.deepEqual(await kept(talk, parts), parts);
  });

  for (const [what, given, raw] of [
    ["without padding", "aGk", "aGk="],
    ["of the URL alphabet", "-_-_", "+/+/"],
    ["of the URL alphabet without padding", "-_8", "+/8="],
    ["of nothing", "", ""],
  ] as const) {
    it(`ProtoJSON: base64 ${what} is read`, {
      on: (wire) => v1(wire) && http(wire),
      needs: ["script"],
    }, async (talk) => {
      assert.deepEqual(await kept(talk, [{ raw: given }]), [{ raw }]);
    });
  }

  for (const raw of ["a", "aGk=aGk=", "aG k", "äöü", "a===", "%%%%"]) {
    it(`base64 that is none is refused: ${raw}`, { on: http }, async (talk) => {
      await talk.send({ parts: [{ raw }] }).refused("INVALID_PARAMS");
    });
  }

  it("4.1.6 metadata of a part", { on: not(proto03), needs: ["script"] }, async (talk) => {
    const parts = [
      { text: "a", metadata: { lang: "en", "https://example.com/x": { deep: [1, null] } } },
      { data: { b: 1 }, metadata: { source: "sensor" } },
    ];
    assert.deepEqual(await kept(talk, parts), parts);
  });

  it("4.1.4 metadata and extensions of a message", { needs: ["script"] }, async (talk) => {
    const messageMetadata = { "https://example.com/ext/v1": { latitude: 37.7749, tags: ["a"], none: null } };
    const task = await talk.run("hello", { messageMetadata, extensions: ["https://example.com/ext/v1"] });
    assert.deepEqual(task.history?.[0]?.metadata, messageMetadata);
    assert.deepEqual(task.history?.[0]?.extensions, ["https://example.com/ext/v1"]);
  });

  it("4.1.4 many parts keep their order", { needs: ["script"] }, async (talk) => {
    const parts = Array.from({ length: 200 }, (_, at) => ({ text: `part ${at}` }));
    assert.deepEqual(await kept(talk, parts), parts);
  });

  it("4.1.7 an artifact has every kind of part", { needs: ["script"] }, async (talk) => {
    const task = await talk.run("parts");
    const [artifact] = task.artifacts ?? [];
    assert.ok(artifact?.artifactId);
    assert.equal(artifact?.name, "mixed");
    const [text, data, raw, url] = artifact?.parts ?? [];
    assert.deepEqual(text, { text: "a text" });
    assert.deepEqual(data, { data: { a: 1, deep: [true, null] } });
    assert.equal(raw?.raw, "aGk=");
    assert.equal(raw?.mediaType, "text/plain");
    assert.equal(url?.url, "https://files.example/report.pdf");
    assert.equal(url?.mediaType, "application/pdf");
  });

  it("4.1.7 data that is no object reaches every version", { needs: ["script"] }, async (talk) => {
    const task = await talk.run("list");
    assert.deepEqual(task.artifacts?.[0]?.parts, [{ data: [1, "two"] }]);
  });

  it("text with an unpaired surrogate is refused", { on: http }, async (talk) => {
    await talk.send({ parts: [{ text: "\ud800" }] }).refused("INVALID_PARAMS");
    await talk.send({ parts: [{ data: { "\udc00": 1 } }] }).refused("INVALID_PARAMS");
  });

  it("numbers that are out of range are refused", { on: jsonRpc }, async (talk) => {
    const { post, readJsonRpc } = await import("../wires/json-rpc.js");
    const { version } = talk.wire;
    const part = version === "1.0" ? '{"data":[1e999]}' : '{"kind":"data","data":{"a":1e999}}';
    const role = version === "1.0" ? "ROLE_USER" : "user";
    const method = version === "1.0" ? "SendMessage" : "message/send";
    const body = `{"jsonrpc":"2.0","id":1,"method":"${method}","params":{"message":{"kind":"message","messageId":"m","role":"${role}","parts":[${part}]}}}`;
    const { error } = await readJsonRpc(await post(talk.options, version, body), 1, version);
    assert.deepEqual(error?.names, ["INVALID_PARAMS"]);
  });

  it("deep nesting is refused", { on: http }, async (talk) => {
    let data: unknown = 1;
    for (let level = 0; level < 1000; level++) data = { in: data };
    await talk.send({ parts: [{ data }] }).refused("INVALID_PARAMS");
    await talk.send({ text: "hello", messageMetadata: { data } }).refused("INVALID_PARAMS");
  });
});
