import assert from "node:assert/strict";
import { declaredExtensions } from "../table/card.js";
import { section } from "../table/case.js";

const UNKNOWN = "https://example.com/extensions/nobody-knows/v7";

export const extensions = section("4.6", "Extensions", "E20", (it) => {
  it("an extension that the agent does not support is ignored", async (talk) => {
    const asking = talk.with({ headers: { "a2a-extensions": UNKNOWN } });
    const reply = await asking.send({ text: "hello", extensions: [UNKNOWN], blocking: true }).reply();
    assert.equal(reply.type, "result", "SHOULD ignore the extension and proceed without it");
    const facts = reply.type === "result" ? reply.facts : { headers: {} as Record<string, string | undefined> };
    assert.ok(!(facts.headers["a2a-extensions"] ?? "").includes(UNKNOWN), "it is not said to be active");
  });

  it("several may be asked for, with spaces between them", async (talk) => {
    for (const value of [`${UNKNOWN},https://example.com/b`, `${UNKNOWN} , https://example.com/b`, ",", ""]) {
      assert.equal((await talk.with({ headers: { "a2a-extensions": value } }).run("hello")).state, "completed");
    }
  });

  it("one that is declared and asked for is said to be active in the answer", async (talk) => {
    const [declared] = await declaredExtensions(talk);
    if (declared === undefined) return;
    const header = `${UNKNOWN}, ${declared}`;
    const reply = await talk
      .with({ headers: { "a2a-extensions": header } })
      .send({ text: "hello", blocking: true })
      .reply();
    assert.equal(reply.type, "result");
    if (reply.type === "result") assert.equal(reply.facts.headers["a2a-extensions"], declared);
  });

  it("nobody who asks for none is told of one", async (talk) => {
    const reply = await talk.send({ text: "hello", blocking: true }).reply();
    assert.ok(reply.type === "result" && reply.facts.headers["a2a-extensions"] === undefined);
  });

  it("a stream says it with its headers", async (talk) => {
    const [declared] = await declaredExtensions(talk);
    if (declared === undefined) return;
    const stream = await talk
      .with({ headers: { "a2a-extensions": declared } })
      .stream({ text: "hello" })
      .ok();
    await stream.rest();
    assert.equal(stream.facts.headers["a2a-extensions"], declared);
  });

  it("no declared extension is required of clients", async (talk) => {
    assert.equal((await talk.run("hello")).state, "completed");
  });
});
