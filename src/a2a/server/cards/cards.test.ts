import { AgentCard } from "@a2a-js/sdk";
import { describe, expect, it } from "vitest";
import { cardFacts, cardPersona, everything } from "../../../../test/support/card-facts.js";
import type { Persona } from "../../../personas/persona.js";
import { Cards } from "./cards.js";
import { DETAILS_EXTENSION } from "./details.js";
import type { CardFacts } from "./facts.js";

const url = "https://agents.example.com/v1/agents/front-desk/a2a";
const cardOf = (asked: string | undefined, changes: Partial<CardFacts> = {}, of: Persona = cardPersona) =>
  JSON.parse(new Cards({ ...cardFacts, ...changes }).of(of, asked).body);

describe("agent cards", () => {
  it.each([
    ["what there is at least", cardFacts],
    ["all that there can be", everything],
  ])("E1 of 1.0 are what the official codec writes: with %s", (_, facts) => {
    const card = cardOf("1.0", facts);
    expect(AgentCard.toJSON(AgentCard.fromJSON(card))).toEqual(card);
  });

  it("E1 E13 of 1.0 offer what there is", () => {
    expect(cardOf("1.0")).toMatchObject({
      name: "front-desk",
      description: "The agent front-desk",
      version: "1.2.3",
      capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
      securitySchemes: { nuncioBearer: { httpAuthSecurityScheme: { scheme: "Bearer" } } },
      securityRequirements: [{ schemes: { nuncioBearer: { list: ["runs:execute"] } } }],
      skills: [{ id: "front-desk", tags: ["front-desk"] }],
    });
    expect(cardOf("1.0")).not.toHaveProperty("url");
  });

  it("E13 do not offer what a persona or the daemon has switched off", () => {
    const off = { ...cardPersona, streaming: false, push: false, extendedCard: false };
    expect(cardOf("1.0", {}, off).capabilities).toMatchObject({
      streaming: false,
      pushNotifications: false,
      extendedAgentCard: false,
    });
    expect(cardOf("0.3", {}, off)).toMatchObject({
      capabilities: { streaming: false, pushNotifications: false },
      supportsAuthenticatedExtendedCard: false,
    });
    expect(cardOf("1.0", { push: false }).capabilities.pushNotifications).toBe(false);
  });

  it("E1 E8 without a version both sides can read them", () => {
    const card = cardOf(undefined);
    expect(card).toMatchObject({
      protocolVersion: "0.3.0",
      url,
      preferredTransport: "JSONRPC",
      security: [{ nuncioBearer: [] }],
      supportsAuthenticatedExtendedCard: true,
    });
    expect(card.securitySchemes.nuncioBearer).toMatchObject({ type: "http", scheme: "Bearer" });
    expect(AgentCard.fromJSON(card)).toEqual(AgentCard.fromJSON(cardOf("1.0")));
    for (const asked of ["", " ", "0.3", "0.3.0", "0.2.5"]) expect(cardOf(asked)).toEqual(card);
  });

  it("E1 without a version say to a client of 0.3 all that a pure card of 0.3 says", () => {
    const hybrid = cardOf(undefined, everything);
    expect(hybrid).toMatchObject(cardOf(undefined, { ...everything, versions: ["0.3"] }));
    expect(AgentCard.fromJSON(hybrid)).toEqual(AgentCard.fromJSON(cardOf("1.0", everything)));
  });

  it("are pure where only one version is served", () => {
    for (const asked of [undefined, "1.0", "0.3"]) {
      const v1 = cardOf(asked, { versions: ["1.0"] });
      for (const field of ["url", "security", "additionalInterfaces", "protocolVersion", "preferredTransport"]) {
        expect(v1).not.toHaveProperty(field);
      }
      expect(v1.supportedInterfaces).toEqual([{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }]);
      const v03 = cardOf(asked, { versions: ["0.3"] });
      expect(v03).not.toHaveProperty("supportedInterfaces");
      expect(v03).not.toHaveProperty("securityRequirements");
      expect(v03.securitySchemes.nuncioBearer).not.toHaveProperty("httpAuthSecurityScheme");
    }
  });

  it("E14 E20 name every binding of every version, the preferred one first", () => {
    const grpc = { url: "agents.example.com:443", protocolBinding: "GRPC" };
    expect(cardOf("1.0", { ...everything, versions: ["0.3", "1.0"] }).supportedInterfaces).toEqual([
      { url, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
      { url, protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
      { ...grpc, tenant: "default/front-desk", protocolVersion: "1.0" },
      { url, protocolBinding: "JSONRPC", protocolVersion: "0.3" },
      { url, protocolBinding: "HTTP+JSON", protocolVersion: "0.3" },
      { ...grpc, protocolVersion: "0.3" },
    ]);
    expect(cardOf("0.3", everything).additionalInterfaces).toEqual([
      { url, transport: "JSONRPC" },
      { url, transport: "HTTP+JSON" },
      { url: "agents.example.com:443", transport: "GRPC" },
    ]);
  });

  it("E24 another agent than the default one has its tenant in its URL, and no gRPC for clients of 0.3, who could not name it", () => {
    const of = { ...cardPersona, tenant: "acme" };
    const theirs = "https://agents.example.com/v1/tenants/acme/agents/front-desk/a2a";
    const card = cardOf(undefined, everything, of);
    expect(card.url).toBe(theirs);
    expect(card.additionalInterfaces).toEqual([
      { url: theirs, transport: "JSONRPC" },
      { url: theirs, transport: "HTTP+JSON" },
    ]);
    expect(card.supportedInterfaces.filter(isGrpc)).toEqual([
      {
        url: "agents.example.com:443",
        protocolBinding: "GRPC",
        tenant: "acme/front-desk",
        protocolVersion: "1.0",
      },
    ]);
  });

  it("E6 E25 name each way in that is open, and no other", () => {
    const { securitySchemes, securityRequirements } = cardOf("1.0", everything);
    expect(securityRequirements).toEqual([
      { schemes: { nuncioBearer: { list: ["runs:execute"] } } },
      { schemes: { nuncioAgentToken: {} } },
      { schemes: { openIdConnect: { list: ["runs:execute"] } } },
      { schemes: { openIdConnect2: {} } },
      {},
    ]);
    expect(securitySchemes.nuncioAgentToken).toEqual({
      apiKeySecurityScheme: {
        location: "header",
        name: "X-Nuncio-Agent-Token",
        description: expect.stringContaining("spiffe://example.com/agents/default/front-desk"),
      },
    });
    expect(securitySchemes.openIdConnect2.openIdConnectSecurityScheme.openIdConnectUrl).toBe(
      "https://id.partner.example/.well-known/openid-configuration",
    );
    const v03 = cardOf("0.3", { ...everything, versions: ["0.3"] });
    expect(v03.security).toEqual([
      { nuncioBearer: [] },
      { nuncioAgentToken: [] },
      { openIdConnect: ["runs:execute"] },
      { openIdConnect2: [] },
      {},
    ]);
    expect(v03.securitySchemes).toMatchObject({
      nuncioAgentToken: { type: "apiKey", in: "header", name: "X-Nuncio-Agent-Token" },
      openIdConnect: {
        type: "openIdConnect",
        openIdConnectUrl: "https://login.example.com/.well-known/openid-configuration",
      },
    });
  });

  it("E25 of a private agent name only the identity providers of its own tenant", () => {
    const of = (tenant: string) => cardOf("1.0", everything, { ...cardPersona, visibility: "private", tenant });
    const urlsOf = (card: { securitySchemes: Record<string, { openIdConnectSecurityScheme?: object }> }) =>
      Object.values(card.securitySchemes).flatMap(({ openIdConnectSecurityScheme: scheme }) => scheme ?? []);
    expect(urlsOf(of("acme"))).toMatchObject([
      { openIdConnectUrl: "https://id.partner.example/.well-known/openid-configuration" },
    ]);
    expect(urlsOf(of("other"))).toEqual([]);
  });

  it("X9 list the skills of the persona as their files describe them, with a tag at least", () => {
    const skills = [
      { name: "web-search", description: "Searches the web", tags: ["search", "web"] },
      { name: "summaries", description: "", tags: [] },
    ];
    expect(cardOf("1.0", {}, { ...cardPersona, description: "Helps", skills }).skills).toEqual([
      { id: "web-search", name: "web-search", description: "Searches the web", tags: ["search", "web"] },
      { id: "summaries", name: "summaries", description: "summaries: Helps", tags: ["summaries"] },
    ]);
  });

  it("E3 have an entity tag made from what they say, and are made once for each persona", () => {
    const cards = new Cards(cardFacts);
    const first = cards.of(cardPersona, "1.0");
    expect(cards.of(cardPersona, "1.0")).toBe(first);
    expect(cards.of({ ...cardPersona }, "1.0")).toEqual(first);
    expect(cards.of({ ...cardPersona, description: "another" }, "1.0").etag).not.toBe(first.etag);
    expect(cards.of(cardPersona, undefined).etag).not.toBe(first.etag);
  });
});

describe("extended agent cards", () => {
  const detailsOf = (level: "anybody" | "caller" | "insider", version: "1.0" | "0.3" = "1.0") => {
    const card = JSON.parse(new Cards(cardFacts).extended(cardPersona, version, level).body);
    return card.capabilities.extensions.find(({ uri }: { uri: string }) => uri === DETAILS_EXTENSION)?.params;
  };
  const limits = {
    maxRequestBytes: 1_048_576,
    maxPendingTasks: 10_000,
    blockingTimeoutMs: 60_000,
    maxHops: 4,
    maxOpenCalls: 10_000,
  };

  it("E13 tell a caller what bounds there are, and one of the agent's tenant how it works", () => {
    for (const version of ["1.0", "0.3"] as const) {
      expect(detailsOf("caller", version)).toEqual({ limits, followUps: true });
      expect(detailsOf("insider", version)).toEqual({
        limits,
        followUps: true,
        tenant: "default",
        runtime: "scripted",
        maxConcurrent: 1,
      });
      expect(detailsOf("anybody", version)).toBeUndefined();
    }
  });

  it("E7 tell how often a caller, and an agent, may call, where that is bounded", () => {
    const policy = { mode: "enforce", tools: [], a2aTargets: [], egressHosts: [] };
    const persona = { ...cardPersona, policy: { ...policy, a2aInbound: { agents: [], maxA2AInboundPerMinute: 30 } } };
    const bounded = { ...cardFacts, limits: { ...cardFacts.limits, requestsPerMinute: 600 } };
    const { capabilities } = JSON.parse(new Cards(bounded).extended(persona, "1.0", "caller").body);
    expect(capabilities.extensions.at(-1).params.limits).toEqual({
      ...limits,
      requestsPerMinute: 600,
      requestsPerMinuteOfAnAgent: 30,
    });
  });

  it("R7 hold nothing of the prompt, the provider or the script", () => {
    const secret: Persona = {
      ...cardPersona,
      capabilities: { allow: ["net.http"], requireApproval: [] },
      runtime: {
        type: "model",
        provider: "internal-provider",
        model: "claude",
        systemPrompt: "the secret prompt",
        maxSteps: 1,
        timeoutMs: 1,
      },
    };
    const { body } = new Cards(cardFacts).extended(secret, "1.0", "insider");
    expect(body).toContain('"runtime":"model"');
    for (const word of ["secret", "internal-provider", "claude", "net.http"]) expect(body).not.toContain(word);
  });
});

const isGrpc = ({ protocolBinding }: { protocolBinding: string }) => protocolBinding === "GRPC";
