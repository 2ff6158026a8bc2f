import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { publicCard } from "../table/card.js";
import { http, section } from "../table/case.js";
import type { Operation } from "../words.js";

const OPERATIONS: Operation[] = [
  "send",
  "stream",
  "get",
  "list",
  "cancel",
  "subscribe",
  "createPush",
  "getPush",
  "listPush",
  "deletePush",
  "extendedCard",
];

export const authentication = section("7", "Authentication and Authorization", "E5 E10 E20", (it) => {
  for (const operation of OPERATIONS) {
    it(`7.4 ${operation} without a credential, and with a wrong one, is refused`, {
      uses: [operation],
    }, async (talk) => {
      const ask = { id: randomUUID(), pushId: "x", push: { url: "https://client.example/hook" } };
      for (const token of [null, "wrong", ""]) {
        const error = await talk.with({ token }).call(operation, ask).refused("UNAUTHENTICATED");
        if (http(talk.wire)) {
          assert.equal(error.facts.status, 401);
          assert.match(error.facts.headers["www-authenticate"] ?? "", /^Bearer\b/, "challenge information");
        } else {
          assert.equal(error.facts.status, 16);
        }
      }
    });
  }

  it("7.4 a body that is broken changes nothing in it", { on: http }, async (talk) => {
    const { http: request } = await import("../wires/http.js");
    const { base } = talk.options.agent;
    const path =
      talk.wire.binding === "JSONRPC" ? "" : talk.wire.version === "1.0" ? "/message:send" : "/v1/message:send";
    const reply = await request(base + path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{",
    });
    await reply.text();
    assert.equal(reply.facts.status, 401);
  });

  it("7.5 a credential that does not suffice: PermissionDenied", { needs: ["callers"] }, async (talk) => {
    const reader = await talk.asNewCaller(["tasks:read"]);
    const error = await reader.send({ text: "hello" }).refused("PERMISSION_DENIED");
    assert.ok(`${error.message} ${JSON.stringify(error.details)}`.includes("runs:execute"), "what is missing is said");
  });

  it("7.3 the card declares the schemes that are accepted", async (talk) => {
    const { card } = await publicCard(talk);
    assert.ok(Object.keys(card.securitySchemes as object).length > 0);
    const required = (talk.wire.version === "1.0" ? card.securityRequirements : card.security) as unknown[];
    assert.ok(required.length > 0);
  });

  it("13.1 tasks are scoped to their caller, over every operation", {
    needs: ["script", "another caller"],
  }, async (talk) => {
    const { id } = await talk.run("ask");
    const stranger = await talk.asStranger();
    for (const operation of ["get", "cancel", "subscribe", "listPush"] as const) {
      await stranger.call(operation, { id }).refused("TASK_NOT_FOUND");
    }
    assert.equal((await talk.get({ id }).task()).state, "input-required");
  });
});
