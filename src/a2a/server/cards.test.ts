import { AgentCard } from "@a2a-js/sdk";
import { describe, expect, it } from "vitest";
import type { Persona } from "../../personas/persona.js";
import { agentPath, Cards } from "./cards.js";

const persona: Persona = {
  name: "front-desk",
  tenant: "default",
  description: "",
  visibility: "public",
  maxConcurrent: 1,
  skills: [],
  capabilities: { allow: [], requireApproval: [] },
  streaming: true,
  push: true,
  extendedCard: true,
  followUps: true,
  runtime: { type: "scripted", rules: [] },
};

const baseUrl = "https://agents.example.com";
const url = `${baseUrl}/v1/agents/front-desk/a2a`;
const options = { baseUrl, versions: ["1.0", "0.3"], anonymous: false, version: "1.2.3" } as const;
const cardOf = (asked: string | undefined, changes: object = {}, of: Persona = persona) =>
  JSON.parse(new Cards({ ...options, ...changes }).of(of, asked).body);

describe("agent cards", () => {
  it("E1 of 1.0 are what the official codec writes, and offer only what there is", () => {
    const card = cardOf("1.0");
    expect(AgentCard.toJSON(AgentCard.fromJSON(card))).toEqual(card);
    expect(card).toMatchObject({
      name: "front-desk",
      description: "The agent front-desk",
      version: "1.2.3",
      supportedInterfaces: [
        { url, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
        { url, protocolBinding: "JSONRPC", protocolVersion: "0.3" },
      ],
      capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false },
      securitySchemes: { nuncioBearer: { httpAuthSecurityScheme: { scheme: "Bearer" } } },
      securityRequirements: [{ schemes: { nuncioBearer: {} } }],
      skills: [{ id: "front-desk", tags: ["front-desk"] }],
    });
    expect(card).not.toHaveProperty("url");
  });

  it("E1 E8 without a version both sides can read them", () => {
    const card = cardOf(undefined);
    expect(card).toMatchObject({
      protocolVersion: "0.3.0",
      url,
      preferredTransport: "JSONRPC",
      security: [{ nuncioBearer: [] }],
      supportsAuthenticatedExtendedCard: false,
    });
    expect(card.securitySchemes.nuncioBearer).toMatchObject({ type: "http", scheme: "bearer" });
    const read = AgentCard.fromJSON(card);
    expect(read.supportedInterfaces[0]).toMatchObject({ url, protocolVersion: "1.0" });
    expect(read.securitySchemes.nuncioBearer?.scheme?.$case).toBe("httpAuthSecurityScheme");
    expect(cardOf("0.3")).toEqual(card);
  });

  it("are pure where only one version is served", () => {
    expect(cardOf(undefined, { versions: ["1.0"] })).not.toHaveProperty("url");
    expect(cardOf(undefined, { versions: ["0.3"] })).not.toHaveProperty("supportedInterfaces");
  });

  it("E25 say that no credential is needed where none is", () => {
    expect(cardOf("1.0", { anonymous: true }).securityRequirements).toEqual([{ schemes: { nuncioBearer: {} } }, {}]);
    expect(cardOf("0.3", { anonymous: true }).security).toEqual([{ nuncioBearer: [] }, {}]);
  });

  it("list the skills of the persona", () => {
    const card = cardOf("1.0", {}, { ...persona, skills: ["web-search", "summaries"], streaming: false });
    expect(card.skills.map((skill: { id: string }) => skill.id)).toEqual(["web-search", "summaries"]);
    expect(card.capabilities.streaming).toBe(false);
  });

  it("E3 have an entity tag made from what they say", () => {
    const tag = (of: Persona) => new Cards(options).of(of, "1.0").etag;
    expect(tag(persona)).toBe(tag({ ...persona }));
    expect(tag(persona)).not.toBe(tag({ ...persona, description: "another" }));
  });

  it("E24 the endpoint of another tenant names it", () => {
    expect(agentPath({ tenant: "acme", name: "a" })).toBe("/v1/tenants/acme/agents/a/a2a");
  });
});
