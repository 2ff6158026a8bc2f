import assert from "node:assert/strict";
import { grpc, http, section, v1, v03 } from "../table/case.js";
import type { Talk } from "../table/talk.js";
import { supportedVersions } from "../table/versions.js";

const asking = (talk: Talk, version: string | undefined): Talk => talk.with({ headers: { "a2a-version": version } });

export const versioning = section("3.6", "Versioning", "E14 E20", (it) => {
  for (const version of ["1.0", "1.0.0", "1.0.1", "1.0.99"]) {
    it(`${version} is 1.0: the patch number is not considered`, { on: v1 }, async (talk) => {
      assert.equal((await asking(talk, version).run("hello")).state, "completed");
    });
  }

  for (const version of [undefined, "", "0.3", "0.3.0", "0.3.5"]) {
    it(`${version === undefined ? "no version" : JSON.stringify(version)} is 0.3`, { on: v03 }, async (talk) => {
      assert.equal((await asking(talk, version).run("hello")).state, "completed");
    });
  }

  for (const version of ["0.2", "0.4", "1.1", "2.0", "10.0", "1", "v1.0", "garbage", "1.0;q=1", "1.0, 0.3"]) {
    it(`${version} is not supported: VersionNotSupported`, { on: v1 }, async (talk) => {
      const error = await asking(talk, version).send({ text: "hello" }).refused("VERSION_NOT_SUPPORTED");
      assert.ok(error.message.length > 0);
    });
  }

  it("each operation refuses a version that is not supported", { on: v1 }, async (talk) => {
    const { id } = await talk.run("ask");
    const other = asking(talk, "2.0");
    await other.stream({ text: "hello" }).refused("VERSION_NOT_SUPPORTED");
    await other.get({ id }).refused("VERSION_NOT_SUPPORTED");
    await other.list().refused("VERSION_NOT_SUPPORTED");
    await other.subscribe({ id }).refused("VERSION_NOT_SUPPORTED");
    await other.cancel({ id }).refused("VERSION_NOT_SUPPORTED");
  });

  it("the error says which are supported", { on: v1 }, async (talk) => {
    const error = await asking(talk, "2.0").send({ text: "hello" }).refused("VERSION_NOT_SUPPORTED");
    const text = `${error.message} ${JSON.stringify(error.details)}`;
    for (const version of supportedVersions(talk.target)) assert.ok(text.includes(version), text);
  });

  it("the version may stand in the query", { on: (wire) => v1(wire) && http(wire) }, async (talk) => {
    const { agent } = talk.options;
    const bare = { "a2a-version": undefined };
    if (talk.wire.binding === "JSONRPC") {
      const asked = talk.with({ agent: { ...agent, base: `${agent.base}?A2A-Version=1.0` }, headers: bare });
      assert.equal((await asked.run("hello")).state, "completed");
      const wrong = talk.with({ agent: { ...agent, base: `${agent.base}?A2A-Version=9.9` }, headers: bare });
      await wrong.send({ text: "hello" }).refused("VERSION_NOT_SUPPORTED");
    } else {
      const { rest } = await import("../wires/rest.js");
      const { id } = await talk.run("hello");
      const options = { ...talk.options, headers: bare };
      const right = await rest(options, "1.0", "GET", `/tasks/${id}?A2A-Version=1.0`);
      assert.equal(right.facts.status, 200);
      assert.match(await right.text(), /TASK_STATE_COMPLETED/);
      const wrong = await rest(options, "1.0", "GET", `/tasks/${id}?A2A-Version=9.9`);
      assert.equal(wrong.facts.status, 400);
      assert.match(await wrong.text(), /VERSION_NOT_SUPPORTED/);
    }
  });

  it("the header counts where both are there", {
    on: (wire) => v1(wire) && wire.binding === "JSONRPC",
  }, async (talk) => {
    const { agent } = talk.options;
    const asked = talk.with({ agent: { ...agent, base: `${agent.base}?A2A-Version=9.9` } });
    assert.equal((await asked.run("hello")).state, "completed");
  });

  it("names of headers have no case", { on: (wire) => v1(wire) && http(wire) }, async (talk) => {
    const shouted = talk.with({ headers: { "a2a-version": undefined, "A2A-VERSION": "1.0" } });
    assert.equal((await shouted.run("hello")).state, "completed");
  });

  it("a service of 1.0 takes no calls of another version", { on: (wire) => v1(wire) && grpc(wire) }, async (talk) => {
    await asking(talk, "0.3").send({ text: "hello" }).refused("VERSION_NOT_SUPPORTED");
  });
});
