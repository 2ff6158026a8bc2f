import assert from "node:assert/strict";
import { section, v1, v03 } from "../table/case.js";

export const extendedCard = section("3.1.11", "Get Extended Agent Card", "E13 E20", (it) => {
  it("is a complete card", async (talk) => {
    const card = await talk.extendedCard().ok();
    assert.equal(typeof card.name, "string");
    assert.ok(Array.isArray(card.skills));
  });

  it("the public card declares it", { on: v1 }, async (talk) => {
    const card = await talk.extendedCard().ok();
    assert.equal((card.capabilities as { extendedAgentCard?: boolean }).extendedAgentCard, true);
  });

  it("0.3 declares it at the top", { on: v03 }, async (talk) => {
    const card = await talk.extendedCard().ok();
    assert.equal(card.supportsAuthenticatedExtendedCard, true);
  });

  it("is for authenticated callers only", async (talk) => {
    await talk.with({ token: null }).extendedCard().refused("UNAUTHENTICATED");
    await talk.with({ token: "wrong" }).extendedCard().refused("UNAUTHENTICATED");
  });

  it("3.3.4: where it is not declared: UnsupportedOperation", { on: v1, needs: ["plain agent"] }, async (talk) => {
    await talk.plain.extendedCard().refused("UNSUPPORTED_OPERATION");
  });

  it("0.3, 8.2: where there is none: AuthenticatedExtendedCardNotConfigured", {
    on: v03,
    needs: ["plain agent"],
  }, async (talk) => {
    await talk.plain.extendedCard().refused("EXTENDED_AGENT_CARD_NOT_CONFIGURED");
  });
});
