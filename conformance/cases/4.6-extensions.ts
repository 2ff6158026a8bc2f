import assert from "node:assert/strict";
import { declaredExtensions } from "../table/card.js";
import { section } from "../table/case.js";
import type { Talk } from "../table/talk.js";

const UNKNOWN = "https://example.com/extensions/nobody-knows/v7";

/** 3.2.6; 0.3 had another name for it. */
const headerOf = ({ wire }: Talk): string => (wire.version === "1.0" ? "a2a-extensions" : "x-a2a-extensions");
const asking = (talk: Talk, uris: string): Talk => talk.with({ headers: { [headerOf(talk)]: uris } });

export const extensions = section("4.6", "Extensions", "E20", (it) => {
  it("an extension that the agent does not support is ignored", async (talk) => {
    const reply = await asking(talk, UNKNOWN)
      .send({ text: "hello", extensions: [UNKNOWN], blocking: true })
      .reply();
    assert.ok(reply.type === "result", "SHOULD ignore the extension and proceed without it");
    assert.ok(!(reply.facts.headers[headerOf(talk)] ?? "").includes(UNKNOWN), "it is not said to be active");
  });

  it("several may be asked for, with spaces between them", async (talk) => {
    for (const value of [`${UNKNOWN},https://example.com/b`, `${UNKNOWN} , https://example.com/b`, ","]) {
      assert.equal((await asking(talk, value).run("hello")).state, "completed");
    }
  });

  it("one that is declared and asked for is said to be active in the answer", async (talk) => {
    const [declared] = await declaredExtensions(talk);
    if (declared === undefined) return;
    const reply = await asking(talk, `${UNKNOWN}, ${declared}`).send({ text: "hello", blocking: true }).reply();
    assert.ok(reply.type === "result");
    assert.equal(reply.facts.headers[headerOf(talk)], declared);
  });

  it("a stream says it with its headers", async (talk) => {
    const [declared] = await declaredExtensions(talk);
    if (declared === undefined) return;
    const stream = await asking(talk, declared).stream({ text: "hello" }).ok();
    await stream.rest();
    assert.equal(stream.facts.headers[headerOf(talk)], declared);
  });

  it("who asks for none is told of none", async (talk) => {
    const reply = await talk.send({ text: "hello", blocking: true }).reply();
    assert.ok(reply.type === "result");
    assert.equal(reply.facts.headers[headerOf(talk)], undefined);
  });

  it("a version that the agent does not have is not replaced by another", async (talk) => {
    const [declared] = await declaredExtensions(talk);
    if (declared === undefined) return;
    const other = declared.replace(/v\d+$/, "v99");
    const reply = await asking(talk, other).send({ text: "hello", blocking: true }).reply();
    assert.ok(reply.type === "result");
    assert.equal(reply.facts.headers[headerOf(talk)], undefined, "MUST NOT fall back to a previous version");
  });
});
