import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { afterAll, describe, expect, it } from "vitest";
import { sqlAccessStore } from "../../store/access/access-store.js";
import { openSqlite } from "../../store/sqlite/open-sqlite.js";
import { KeyRing } from "../sealing/key-ring.js";
import { createSealer } from "../sealing/sealer.js";
import { AgentKeys } from "./agent-keys.js";
import { AgentTokenIssuer } from "./agent-token-issuer.js";
import { bundleOf, keySetOf } from "./published-keys.js";

const directory = mkdtempSync(join(tmpdir(), "nuncio-issuer-"));
const database = openSqlite(":memory:");
afterAll(async () => {
  await database.close();
  rmSync(directory, { recursive: true });
});

const clock = { now: () => 1_800_000_000_500 };
const store = sqlAccessStore(database);
const keys = new AgentKeys(store, { clock, alone: true });
const hosted = {
  get: (tenant: string, name: string) => (/^(default|acme)\/(desk|lab)$/.test(`${tenant}/${name}`) ? {} : undefined),
};
const issuer = (trustDomain: string | undefined = "example.com", keyFile = "sealing.json") =>
  new AgentTokenIssuer({
    ...{ trustDomain, store, keys, hosted, clock },
    sealer: createSealer(new KeyRing(join(directory, keyFile), clock)),
  });
const DESK = { tenant: "default", name: "desk" };

describe("tokens that are made for our agents", () => {
  it("E6 say who, for whom and until when, and which key has signed, each with an id of its own", async () => {
    const made = await issuer().mint(DESK, "acme/lab", 90_000);
    const { kid = "" } = decodeProtectedHeader(made.token);
    expect(decodeProtectedHeader(made.token)).toEqual({ alg: "ES256", typ: "JWT", kid });
    expect((await issuer().keysOf(DESK)).map((key) => key.kid)).toEqual([kid]);
    const claims = decodeJwt(made.token);
    expect(claims).toEqual({
      sub: "spiffe://example.com/agents/desk",
      aud: "spiffe://example.com/tenants/acme/agents/lab",
      iat: 1_800_000_000,
      exp: 1_800_000_090,
      jti: expect.any(String),
    });
    expect(made.expiresAt).toBe(1_800_000_090_000);
    expect(decodeJwt((await issuer().mint(DESK, "acme/lab", 90_000)).token).jti).not.toBe(claims.jti);
  });

  it.each([
    ["lab", "spiffe://example.com/agents/lab"],
    ["spiffe://example.com/tenants/acme/agents/desk", "spiffe://example.com/tenants/acme/agents/desk"],
    ["spiffe://partner.example/any/thing", "spiffe://partner.example/any/thing"],
  ])("E6 are for %s", async (audience, id) => {
    expect((await issuer().mint(DESK, audience, 1000)).audience).toBe(id);
  });

  it.each([
    ["nobody", "not_found"],
    ["spiffe://example.com/agents/nobody", "not_found"],
    ["spiffe://example.com/tenants/default/agents/desk", "not_found"],
    ["spiffe://partner.example", "invalid_argument"],
    ["spiffe://", "invalid_argument"],
    ["spiffe:desk", "invalid_argument"],
    ["a/b/c", "invalid_argument"],
    ["", "invalid_argument"],
  ])("E6 are not made for %j", async (audience, code) => {
    await expect(issuer().mint(DESK, audience, 1000)).rejects.toMatchObject({ code });
  });

  it("E6 are made for agents that are there, and say what to do where agents have no ids", async () => {
    await expect(issuer().mint({ tenant: "default", name: "nobody" }, "lab", 1000)).rejects.toMatchObject({
      code: "not_found",
    });
    const without = new AgentTokenIssuer({
      ...{ trustDomain: undefined, store, keys, hosted, clock },
      sealer: createSealer(new KeyRing(join(directory, "sealing.json"), clock)),
    });
    for (const asked of [
      () => without.mint(DESK, "lab", 1000),
      () => without.rotate(DESK, { atOnce: false }),
      () => without.keysOf(DESK),
    ]) {
      await expect(asked()).rejects.toMatchObject({
        code: "failed_precondition",
        field: "access.trustDomain",
        hint: expect.stringContaining("trustDomain: example.com"),
      });
    }
  });

  it("X13 the private key is in the store only sealed, and opens with the key file of the daemon alone", async () => {
    await issuer().mint(DESK, "lab", 1000);
    const held = await store.signingKey(DESK);
    expect(JSON.stringify(held)).not.toContain('\\"d\\"');
    expect(held?.sealed).toMatch(/^s1\./);
    await expect(issuer("example.com", "other.json").mint(DESK, "lab", 1000)).rejects.toMatchObject({
      reason: "SEALING_KEY_MISSING",
    });
  });

  it("E6 nothing of a private key is published", async () => {
    const published = await issuer().keysOf(DESK);
    for (const document of [keySetOf(published), bundleOf(published)]) {
      for (const key of document.keys as object[]) {
        expect(Object.keys(key).sort()).toEqual(["alg", "crv", "kid", "kty", "use", "x", "y"]);
      }
    }
  });
});
