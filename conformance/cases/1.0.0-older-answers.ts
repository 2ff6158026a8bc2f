import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { both, grpc, type Options, rest, section, v1 } from "../table/case.js";
import type { Talk } from "../table/talk.js";
import { readRest, rest as restCall } from "../wires/rest.js";

const older = async (talk: Talk): Promise<Talk> =>
  talk.with(await (talk.target.older as NonNullable<Talk["target"]["older"]>)());
const overRest: Options = { on: both(rest, v1), needs: ["older answers"] };
const overGrpc: Options = { on: both(grpc, v1), needs: ["older answers"] };

/** What 1.0.0 had otherwise, for clients and kits that still expect it: `a2a.compat: "1.0.0"`. */
export const olderAnswers = section("1.0.0", "Answers of 1.0.0", "E20", (it) => {
  it("11.1 answers are application/json", overRest, async (talk) => {
    const old = await older(talk);
    const { id } = await old.run("hello");
    for (const path of [`/tasks/${id}`, `/tasks/${randomUUID()}`]) {
      const reply = await restCall(old.options, "1.0", "GET", path);
      await reply.text();
      assert.match(reply.facts.headers["content-type"] ?? "", /^application\/json(;|$)/, path);
    }
  });

  it("5.4 TaskNotCancelable: 409", overRest, async (talk) => {
    const old = await older(talk);
    const { id } = await old.run("hello");
    assert.equal((await old.cancel({ id }).refused("TASK_NOT_CANCELABLE")).facts.status, 409);
  });

  it("5.4 ContentTypeNotSupported: 415", overRest, async (talk) => {
    const old = (await older(talk)).with({ headers: { "content-type": "text/plain" } });
    const { error } = await readRest(await restCall(old.options, "1.0", "POST", "/message:send", "{}"), "1.0", "1.0.0");
    assert.deepEqual(error?.names, ["CONTENT_TYPE_NOT_SUPPORTED"]);
    assert.equal(error?.facts.status, 415);
  });

  it("5.4 UnsupportedOperation: UNIMPLEMENTED", overGrpc, async (talk) => {
    const old = await older(talk);
    const { id } = await old.run("hello");
    assert.equal((await old.subscribe({ id }).refused("UNSUPPORTED_OPERATION")).facts.status, 12);
  });

  it("5.4 VersionNotSupported: UNIMPLEMENTED", overGrpc, async (talk) => {
    const old = (await older(talk)).with({ headers: { "a2a-version": "2.0" } });
    assert.equal((await old.send({ text: "hello" }).refused("VERSION_NOT_SUPPORTED")).facts.status, 12);
  });

  it("the rest is as in 1.0.1", { on: v1, needs: ["older answers"] }, async (talk) => {
    const old = await older(talk);
    const task = await old.run("steps");
    assert.equal(task.state, "completed");
    await old.get({ id: randomUUID() }).refused("TASK_NOT_FOUND");
    await old.send({ without: ["message.parts"] }).refused("INVALID_PARAMS");
  });
});
