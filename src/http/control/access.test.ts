import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ControlHouse, scripted, startControl } from "../../../test/support/control-house.js";

let house: ControlHouse;
beforeAll(async () => {
  house = await startControl([scripted("desk"), scripted("lab", [], { tenant: "acme" })], {
    trustDomain: "example.com",
  });
});
afterAll(async () => {
  expect(house.faults).toEqual([]);
  await house.stop();
});

describe("tenants over the control API", () => {
  it("E24 are there when they were made, when a persona or a key is in them, and the default one", async () => {
    expect(await house.client.createTenant("umbrella")).toMatchObject({ name: "umbrella", personas: 0, keys: 0 });
    await house.client.createKey({ name: "app", tenant: "wayne" });
    await house.client.createSession({ name: "ada", tenant: "wayne" });
    const { id } = await house.client.createKey({ name: "old" });
    await house.client.revokeKey(id);
    const { tenants } = await house.client.tenants();
    expect(tenants).toEqual([
      { name: "acme", createdAt: null, personas: 1, keys: 0 },
      { name: "default", createdAt: null, personas: 1, keys: 0 },
      { name: "umbrella", createdAt: expect.any(String), personas: 0, keys: 0 },
      { name: "wayne", createdAt: expect.any(String), personas: 0, keys: 2 },
    ]);
  });

  it("E24 a key for a tenant that nobody has heard of says so, once; one for a tenant of a persona does not", async () => {
    const made = async (tenant: string) => (await house.client.createKey({ name: "app", tenant })).tenantMade;
    expect([await made("acmee"), await made("acmee"), await made("acme"), await made("default")]).toEqual([
      ...[true, false, false, false],
    ]);
    expect((await house.client.createSession({ name: "ada", tenant: "stark" })).tenantMade).toBe(true);
  });

  it.each(["umbrella", "acme", "default"])("E24 %s is made once", async (name) => {
    await expect(house.client.createTenant(name)).rejects.toMatchObject({ code: "conflict", field: "name" });
  });

  it.each(["", "a/b", "spiffe://partner.example", "-a", "a-", "ä", "a".repeat(65), ".."])(
    "E24 %j is no name of a tenant, for keys neither",
    async (tenant) => {
      const refused = { code: "invalid_argument" };
      await expect(house.client.createTenant(tenant)).rejects.toMatchObject(refused);
      await expect(house.client.createKey({ name: "app", tenant })).rejects.toMatchObject(refused);
      await expect(house.client.createSession({ name: "app", tenant })).rejects.toMatchObject(refused);
    },
  );
});

describe("sessions over the control API", () => {
  it("E5 last eight hours, are shown once, and stand among the keys", async () => {
    const made = await house.client.createSession({ name: "ada", scopes: ["tasks:read"] });
    expect(made).toMatchObject({ kind: "session", name: "ada", tenant: "default", scopes: ["tasks:read"] });
    expect(made.token).toMatch(/^ns_[A-Za-z0-9_-]{43}$/);
    expect(Date.parse(made.expiresAt as string) - Date.parse(made.createdAt)).toBe(8 * 3_600_000);
    const { keys } = await house.client.keys("session");
    expect(keys.map(({ kind }) => kind)).toContain("session");
    expect(new Set(keys.map(({ kind }) => kind)).size).toBe(1);
    expect(JSON.stringify(await house.client.keys())).not.toContain(made.token);
    await house.client.revokeKey(made.id);
    expect((await house.client.keys()).keys.find(({ id }) => id === made.id)?.revokedAt).not.toBeNull();
  });

  it("E5 last thirty days at most", async () => {
    const lasting = (expiresInSeconds: number) => house.client.createSession({ name: "ada", expiresInSeconds });
    await expect(lasting(30 * 86_400 + 1)).rejects.toMatchObject({ field: "expiresInSeconds" });
    await expect(lasting(0)).rejects.toMatchObject({ field: "expiresInSeconds" });
    expect(await lasting(30 * 86_400)).toMatchObject({ kind: "session" });
  });
});

describe("tokens of agents over the control API", () => {
  it("E6 are made for five minutes, for an hour at most", async () => {
    const mint = (expiresInSeconds?: number) =>
      house.client.createAgentToken({ persona: "lab", tenant: "acme", audience: "desk", expiresInSeconds });
    const { subject, audience, expiresAt } = await mint();
    expect({ subject, audience }).toEqual({
      subject: "spiffe://example.com/tenants/acme/agents/lab",
      audience: "spiffe://example.com/agents/desk",
    });
    expect(Math.abs(Date.parse(expiresAt) - Date.now() - 300_000)).toBeLessThan(60_000);
    await expect(mint(3601)).rejects.toMatchObject({ field: "expiresInSeconds" });
  });

  it("E6 come with keys that can be handed to a partner, and exchanged", async () => {
    const [key] = (await house.client.agentKeys("desk")).keys;
    const rotated = await house.client.rotateAgentKey({ persona: "desk" });
    expect(rotated).toMatchObject({ agent: "desk", retired: [{ kid: key?.kid, acceptedUntil: expect.any(String) }] });
    const { keys } = await house.client.agentKeys("desk");
    expect(keys.map(({ kid, use }) => [kid, use])).toEqual([
      [key?.kid, "jwt-svid"],
      [rotated.kid, "jwt-svid"],
    ]);
    await house.client.agentKeys("lab", "acme");
    expect((await house.client.agentKeys()).keys.length).toBeGreaterThanOrEqual(3);
    await house.client.rotateAgentKey({ persona: "desk", atOnce: true });
    expect((await house.client.agentKeys("desk")).keys).toHaveLength(1);
  });

  it.each([
    ["nobody", undefined],
    ["lab", undefined],
    ["desk", "acme"],
  ])("E6 are made for agents that are hosted: not for %s of %s", async (persona, tenant) => {
    const refused = { code: "not_found" };
    await expect(house.client.createAgentToken({ persona, tenant, audience: "desk" })).rejects.toMatchObject(refused);
    await expect(house.client.rotateAgentKey({ persona, tenant })).rejects.toMatchObject(refused);
    await expect(house.client.agentKeys(persona, tenant)).rejects.toMatchObject(refused);
  });
});
