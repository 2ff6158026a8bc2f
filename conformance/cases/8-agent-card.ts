import assert from "node:assert/strict";
import { checkShape, type Json } from "../shapes/check.js";
import { V1 } from "../shapes/v1.js";
import { V03 } from "../shapes/v03.js";
import { publicCard } from "../table/card.js";
import { jsonRpc, section, v1, v03 } from "../table/case.js";
import { http } from "../wires/http.js";
import type { Wire } from "../wires/wire.js";

// The card is the same whatever binding is used afterwards: once per version is enough.
const ofV1 = (wire: Wire): boolean => v1(wire) && jsonRpc(wire);
const ofV03 = (wire: Wire): boolean => v03(wire) && jsonRpc(wire);

/** A hybrid card has the fields of 1.0 beside those of 0.3, whose clients read over what they do not know. */
function withoutV1(card: Json): Json {
  const { supportedInterfaces: _, securityRequirements: __, securitySchemes = {}, ...rest } = card;
  const { extendedAgentCard: ___, ...capabilities } = rest.capabilities as Json;
  const schemes = Object.entries(securitySchemes as Record<string, Json>).map(([name, scheme]) => [
    name,
    Object.fromEntries(Object.entries(scheme).filter(([key]) => !key.endsWith("SecurityScheme"))),
  ]);
  return { ...rest, capabilities, securitySchemes: Object.fromEntries(schemes) };
}

export const agentCard = section("8", "Agent Discovery: The Agent Card", "E1 E3 E14 E20", (it) => {
  it("8.2 stands at the well-known path, as JSON", { on: jsonRpc }, async (talk) => {
    const { facts } = await publicCard(talk);
    assert.equal(facts.status, 200);
    assert.match(facts.headers["content-type"] ?? "", /^application\/(a2a\+)?json(;|$)/);
  });

  it("4.4.1 1.0 is a card of 1.0, with nothing missing and nothing foreign", { on: ofV1 }, async (talk) => {
    checkShape(V1, "AgentCard", (await publicCard(talk)).card);
  });

  it("0.3, 5.5: 0.3 finds every field that it reads", { on: ofV03 }, async (talk) => {
    const { card } = await publicCard(talk);
    checkShape(V03, "AgentCard", withoutV1(card));
    assert.match(card.protocolVersion as string, /^0\.3(\.\d+)?$/);
  });

  it("8.3.1 declares every interface, each with its version", { on: ofV1 }, async (talk) => {
    const { card } = await publicCard(talk);
    const declared = (card.supportedInterfaces as Json[]).map(
      ({ protocolBinding, protocolVersion }) => `${protocolBinding} ${protocolVersion}`,
    );
    for (const { binding, version } of talk.target.wires) {
      assert.ok(declared.includes(`${binding} ${version}`), `${binding} ${version} is not among ${declared.join()}`);
    }
    for (const { protocolVersion } of card.supportedInterfaces as Json[]) {
      assert.match(protocolVersion as string, /^\d+\.\d+$/, "3.6: Major.Minor");
    }
  });

  it("8.3.1 the URLs of its interfaces are those at which they are", { on: ofV1 }, async (talk) => {
    const { card } = await publicCard(talk);
    for (const { url, protocolBinding } of card.supportedInterfaces as { url: string; protocolBinding: string }[]) {
      if (protocolBinding === "GRPC") continue;
      assert.equal(new URL(url).pathname.replace(/\/$/, ""), new URL(talk.options.agent.base).pathname);
    }
  });

  it("0.3, 5.6: declares the main transport and the additional ones", { on: ofV03 }, async (talk) => {
    const { card } = await publicCard(talk);
    const transports = ((card.additionalInterfaces ?? []) as Json[]).map(({ transport }) => transport);
    const all = [card.preferredTransport ?? "JSONRPC", ...transports];
    for (const { binding, version } of talk.target.wires) {
      if (version === "0.3") assert.ok(all.includes(binding), `${binding} is not among ${all.join()}`);
    }
  });

  it("4.4.3 declares what is offered", { on: ofV1 }, async (talk) => {
    const { streaming, pushNotifications } = (await publicCard(talk)).card.capabilities as Record<string, boolean>;
    assert.equal(streaming, true);
    assert.equal(pushNotifications, true);
  });

  it("4.4.3 and what is not", { on: jsonRpc, needs: ["plain agent"] }, async (talk) => {
    const { card } = await publicCard(talk.plain);
    const capabilities = card.capabilities as Record<string, boolean | undefined>;
    for (const name of ["streaming", "pushNotifications", "extendedAgentCard"]) {
      assert.ok(capabilities[name] !== true, name);
    }
    assert.ok(card.supportsAuthenticatedExtendedCard !== true);
  });

  it("8.6.1 can be cached", { on: jsonRpc }, async (talk) => {
    const { facts, text } = await publicCard(talk);
    assert.match(facts.headers["cache-control"] ?? "", /max-age=\d+/);
    const etag = facts.headers.etag;
    assert.ok(etag, "SHOULD include an ETag");
    const same = await publicCard(talk, { "if-none-match": etag });
    assert.equal(same.facts.status, 304);
    assert.equal(same.text, "");
    const other = await publicCard(talk, { "if-none-match": '"another"' });
    assert.equal(other.facts.status, 200);
    assert.equal(other.text, text);
  });

  it("8.6.1 varies by what it depends on", { on: jsonRpc, needs: ["promises"] }, async (talk) => {
    const { facts } = await publicCard(talk);
    assert.match(facts.headers.vary ?? "", /a2a-version/i);
  });

  it("is never built from what a request says of itself", { on: jsonRpc, needs: ["promises"] }, async (talk) => {
    const { text } = await publicCard(talk, { host: "evil.example", "x-forwarded-host": "evil.example" });
    assert.doesNotMatch(text, /evil\.example/);
  });

  it("says only headers to HEAD, and nothing to other methods", { on: jsonRpc }, async (talk) => {
    const url = `${talk.options.agent.base}/.well-known/agent-card.json`;
    const head = await http(url, { method: "HEAD" });
    assert.equal(head.facts.status, 200);
    assert.equal(await head.text(), "");
    const posted = await http(url, { method: "POST", body: "{}", headers: { "content-type": "application/json" } });
    await posted.text();
    assert.ok(posted.facts.status >= 400 && posted.facts.status < 500);
  });
});
