import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { v03Proto } from "../spelling/v03-proto.js";
import { both, rest as on, section, v1, v03 } from "../table/case.js";
import { textOf } from "../table/look.js";
import type { Talk } from "../table/talk.js";
import { parse } from "../wires/http-stream.js";
import { readRest, rest } from "../wires/rest.js";
import { readSse } from "../wires/sse.js";

const at = (talk: Talk, path: string): string => (talk.wire.version === "1.0" ? path : `/v1${path}`);

function message(talk: Talk, text = "hello"): string {
  return JSON.stringify(
    talk.wire.version === "1.0"
      ? { message: { messageId: randomUUID(), role: "ROLE_USER", parts: [{ text }] } }
      : { message: { messageId: randomUUID(), role: "ROLE_USER", content: [{ text }] } },
  );
}

const call = (talk: Talk, method: string, path: string, body?: string | Buffer, headers: Record<string, string> = {}) =>
  rest(talk.with({ headers }).options, talk.wire.version, method, at(talk, path), body);

export const httpJsonBinding = section("11", "HTTP+JSON/REST Protocol Binding", "E8 E20 R5", (it) => {
  it("11.1 answers of 1.0 are application/a2a+json", { on: both(on, v1) }, async (talk) => {
    const { id } = await talk.run("hello");
    for (const [method, path, body] of [
      ["POST", "/message:send", message(talk)],
      ["GET", `/tasks/${id}`],
      ["GET", "/tasks"],
      ["GET", `/tasks/${randomUUID()}`],
    ] as const) {
      const reply = await call(talk, method, path, body);
      await reply.text();
      assert.match(reply.facts.headers["content-type"] ?? "", /^application\/a2a\+json(;|$)/, path);
    }
  });

  it("0.3, 3.2.3: answers of 0.3 are application/json", { on: both(on, v03) }, async (talk) => {
    const { id } = await talk.run("hello");
    for (const path of [`/tasks/${id}`, `/tasks/${randomUUID()}`]) {
      const reply = await call(talk, "GET", path);
      await reply.text();
      assert.match(reply.facts.headers["content-type"] ?? "", /^application\/json(;|$)/, path);
    }
  });

  for (const type of [
    "application/a2a+json",
    "application/json",
    "application/json; charset=utf-8",
    "Application/A2A+JSON",
  ]) {
    it(`11.1 a body of ${type} is taken`, { on }, async (talk) => {
      const { result, error } = await readRest(
        await call(talk, "POST", "/message:send", message(talk), { "content-type": type }),
        talk.wire.version,
      );
      assert.ok(result !== undefined, error?.message);
    });
  }

  for (const type of ["text/plain", "application/xml", "multipart/form-data"]) {
    it(`5.4 a body of ${type}: ContentTypeNotSupported`, { on: both(on, v1) }, async (talk) => {
      const reply = await call(talk, "POST", "/message:send", message(talk), { "content-type": type });
      const { error } = await readRest(reply, "1.0");
      assert.deepEqual(error?.names, ["CONTENT_TYPE_NOT_SUPPORTED"]);
    });
  }

  for (const [what, body] of [
    ["broken JSON", "{"],
    ["nothing", ""],
    ["a list", "[]"],
    ["a text", '"hello"'],
    ["null", "null"],
  ] as const) {
    it(`11.6 ${what} as a body: 400`, { on }, async (talk) => {
      const reply = await call(talk, "POST", "/message:send", body);
      const { error } = await readRest(reply, talk.wire.version);
      assert.equal(error?.facts.status, 400);
    });
  }

  it("11.6 the error is a google.rpc.Status, with the HTTP status as its code", { on: both(on, v1) }, async (talk) => {
    const reply = await call(talk, "GET", `/tasks/${randomUUID()}`);
    assert.equal(reply.facts.status, 404);
    const { error } = parse(await reply.text()) as { error: { code: number; status: string; details: object[] } };
    assert.equal(error.code, 404);
    assert.equal(error.status, "NOT_FOUND");
    assert.ok(error.details.length > 0);
  });

  it("11.6 an error of validation: 400, INVALID_ARGUMENT and a BadRequest", { on: both(on, v1) }, async (talk) => {
    const error = await talk.send({ without: ["message.role"] }).refused("INVALID_PARAMS", { field: "message.role" });
    assert.equal(error.facts.status, 400);
  });

  it("11.5 parameters travel in the query, in camelCase", { on: both(on, v1), needs: ["script"] }, async (talk) => {
    const contextId = randomUUID();
    const { id } = await talk.run("ask", { contextId });
    const listed = await call(
      talk,
      "GET",
      `/tasks?contextId=${contextId}&status=TASK_STATE_INPUT_REQUIRED&pageSize=1&includeArtifacts=true&historyLength=0`,
    );
    const { tasks, pageSize } = parse(await listed.text()) as {
      tasks: { id: string; history?: unknown }[];
      pageSize: number;
    };
    assert.deepEqual(
      tasks.map((task) => task.id),
      [id],
    );
    assert.equal(pageSize, 1);
    assert.equal(tasks[0]?.history, undefined);
  });

  it("11.5 values of the query that are none: 400 that names the parameter", { on: both(on, v1) }, async (talk) => {
    const { id } = await talk.run("hello");
    for (const [path, field] of [
      [`/tasks/${id}?historyLength=abc`, "historyLength"],
      [`/tasks/${id}?historyLength=-1`, "historyLength"],
      [`/tasks/${id}?historyLength=1.5`, "historyLength"],
      [`/tasks/${id}?historyLength=`, "historyLength"],
      ["/tasks?pageSize=many", "pageSize"],
      ["/tasks?pageSize=150", "pageSize"],
      ["/tasks?status=TASK_STATE_RUNNING", "status"],
      ["/tasks?includeArtifacts=yes", "includeArtifacts"],
      ["/tasks?statusTimestampAfter=yesterday", "statusTimestampAfter"],
    ] as const) {
      const { error } = await readRest(await call(talk, "GET", path), "1.0");
      assert.equal(error?.facts.status, 400, path);
      assert.ok(JSON.stringify(error?.details).includes(field), path);
    }
  });

  it("11.5 unknown parameters are ignored", { on }, async (talk) => {
    const { id } = await talk.run("hello");
    const reply = await call(talk, "GET", `/tasks/${id}?fromTheFuture=1`);
    await reply.text();
    assert.equal(reply.facts.status, 200);
  });

  it("11.5 percent-encoding is read", { on: both(on, v1), needs: ["script"] }, async (talk) => {
    const contextId = `ä b/${randomUUID()}&x=1`;
    const { id } = await talk.run("hello", { contextId });
    const { tasks } = await talk.list({ contextId }).ok();
    assert.deepEqual(
      tasks.map((task) => task.id),
      [id],
    );
  });

  it("broken percent-encoding is an error of the caller's", { on }, async (talk) => {
    for (const path of ["/tasks/%", "/tasks/%zz", "/tasks/%ff%fe"]) {
      const reply = await call(talk, "GET", path);
      await reply.text();
      assert.ok([400, 404].includes(reply.facts.status), `${reply.facts.status}`);
    }
  });

  it("11.7 the data of an event is the object itself", { on: both(on, v1), needs: ["script"] }, async (talk) => {
    const reply = await call(talk, "POST", "/message:stream", message(talk, "steps"));
    assert.match(reply.facts.headers["content-type"] ?? "", /^text\/event-stream(;|$)/);
    const kinds: string[] = [];
    for await (const { data } of readSse(reply.message)) kinds.push(Object.keys(parse(data) as object).join());
    assert.equal(kinds[0], "task");
    assert.ok(kinds.slice(1).every((kind) => ["statusUpdate", "artifactUpdate"].includes(kind)));
  });

  it("11.3.2 cancel takes a body, an empty one and none", { on, needs: ["script"] }, async (talk) => {
    for (const body of ["{}", undefined, ""]) {
      const { id } = await talk.start("hang");
      const reply = await call(talk, "POST", `/tasks/${id}:cancel`, body);
      await reply.text();
      assert.equal(reply.facts.status, 200, `body ${body}`);
    }
  });

  it("11.3.2 subscribe takes no body, too", { on, needs: ["script"] }, async (talk) => {
    const { id } = await talk.run("ask");
    const reply = await call(talk, "POST", `/tasks/${id}:subscribe`);
    assert.equal(reply.facts.status, 200);
    let events = 0;
    for await (const _ of readSse(reply.message)) events += 1;
    assert.equal(events, 1);
  });

  it("4.4.6 the interface tenant may begin the path, and must be that of the agent", {
    on: both(on, v1),
    needs: ["promises"],
  }, async (talk) => {
    const { id } = await talk.run("hello");
    for (const [path, status] of [
      [`/default/tasks/${id}`, 200],
      [`/another/tasks/${id}`, 400],
      [`/tasks/${id}?tenant=default`, 200],
      [`/tasks/${id}?tenant=another`, 400],
      ["/default/tasks", 200],
      ["/another/tasks", 400],
      ["/default/extendedAgentCard", 200],
    ] as const) {
      const reply = await call(talk, "GET", path);
      await reply.text();
      assert.equal(reply.facts.status, status, path);
    }
    for (const [path, status] of [
      ["/default/message:send", 200],
      ["/another/message:send", 400],
    ] as const) {
      const reply = await call(talk, "POST", path, message(talk));
      await reply.text();
      assert.equal(reply.facts.status, status, path);
    }
  });

  it("the interface tenant of the body must be that of the agent", {
    on: both(on, v1),
    needs: ["promises"],
  }, async (talk) => {
    assert.equal((await talk.run("hello", { tenant: "default" })).state, "completed");
    await talk.send({ text: "hello", tenant: "another" }).refused("INVALID_PARAMS");
  });

  it("the id of the path counts; another one in the body is refused", {
    on: both(on, v1),
    needs: ["script", "promises"],
  }, async (talk) => {
    const { id } = await talk.run("ask");
    const { id: other } = await talk.run("ask");
    const reply = await call(talk, "POST", `/tasks/${id}:cancel`, JSON.stringify({ id: other }));
    await reply.text();
    assert.equal((await talk.get({ id: other }).task()).state, "input-required", "the one in the body is left alone");
  });

  it("0.3 takes messages spelled with kinds, as its text has them", {
    on: both(on, v03),
    needs: ["script"],
  }, async (talk) => {
    const body = JSON.stringify({
      message: { kind: "message", messageId: randomUUID(), role: "user", parts: [{ kind: "text", text: "hello" }] },
      configuration: { blocking: true },
    });
    const { result, error } = await readRest(await call(talk, "POST", "/message:send", body), "0.3");
    assert.ok(result !== undefined, error?.message);
    const { task } = result as { task?: unknown };
    if (task !== undefined && (task as { kind?: string }).kind === undefined) {
      assert.equal(textOf(v03Proto.task(task)), "hello");
    }
  });

  it("a body of more than a mebibyte: 413", { on, needs: ["promises"] }, async (talk) => {
    const reply = await call(talk, "POST", "/message:send", message(talk, "x".repeat(1_100_000)));
    await reply.text();
    assert.equal(reply.facts.status, 413);
  });

  it("a packed body is refused", { on, needs: ["promises"] }, async (talk) => {
    const reply = await call(talk, "POST", "/message:send", message(talk), { "content-encoding": "gzip" });
    await reply.text();
    assert.ok([400, 415].includes(reply.facts.status), `${reply.facts.status}`);
  });
});
