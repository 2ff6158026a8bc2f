import { beforeEach, describe, expect, it } from "vitest";
import type { ApiKey } from "./access-store.js";
import { newApiKey } from "./api-key.js";
import { type Authentication, Authenticator, type AuthenticatorOptions, type Credentials } from "./authenticate.js";
import { KeyCache } from "./key-cache.js";

const AGENT = { tenant: "default", name: "desk" };
const now = 1_000;
let time = now;
beforeEach(() => {
  time = now;
});

async function authenticatorWith(changes: Partial<ApiKey>, options: AuthenticatorOptions = { anonymous: false }) {
  const { key, hash } = newApiKey();
  const row: ApiKey = {
    id: "k1",
    kind: "key",
    name: "app",
    tenant: "default",
    scopes: ["runs:execute"],
    createdAt: 0,
    expiresAt: null,
    revokedAt: null,
    ...changes,
  };
  const keys = new KeyCache({
    createKey: async () => ({ tenantMade: false }),
    listKeys: async () => [row],
    revokeKey: async () => {},
    keysAfter: async () => [],
    revokedSince: async () => [],
    onRevoked: () => () => {},
    onMissed: () => () => {},
    keyByHash: async (asked) => (asked === hash ? row : null),
  });
  return { key, authenticator: new Authenticator(keys, { now: () => time }, options) };
}

describe("authentication", () => {
  it("E5 a key names its holder, not itself", async () => {
    const { key, authenticator } = await authenticatorWith({ expiresAt: now + 1 });
    expect(await authenticator.authenticate({ authorization: `Bearer ${key}` }, AGENT, {})).toEqual({
      principal: { kind: "user", subject: "user:app", tenant: "default", scopes: ["runs:execute"] },
      keyId: "k1",
      expiresAt: now + 1,
    });
  });

  it("takes the scheme in any case", async () => {
    const { key, authenticator } = await authenticatorWith({});
    expect((await authenticator.authenticate({ authorization: `bEARER  ${key}` }, AGENT, {})).principal?.subject).toBe(
      "user:app",
    );
  });

  it.each([
    ["revoked", { revokedAt: 1 }],
    ["expired", { expiresAt: now }],
  ] as const)("E5 a key that is %s is refused", async (why, changes) => {
    const { key, authenticator } = await authenticatorWith(changes);
    expect(await authenticator.authenticate({ authorization: `Bearer ${key}` }, AGENT, {})).toEqual({
      principal: null,
      why,
    });
  });

  it.each([
    ["", "malformed"],
    ["Bearer", "malformed"],
    ["Bearer nope", "malformed"],
    ["Basic eDp5", "malformed"],
    [`Bearer ${newApiKey().key}`, "unknown"],
    [`Bearer ${newApiKey().key} x`, "malformed"],
  ])("E5 refuses %j, also where anonymous callers are let in", async (header, why) => {
    const { authenticator } = await authenticatorWith({}, { anonymous: true });
    expect(await authenticator.authenticate({ authorization: header }, AGENT, {})).toEqual({ principal: null, why });
  });

  it("lets nobody in without a credential unless it was configured so", async () => {
    const strict = await authenticatorWith({});
    expect(await strict.authenticator.authenticate({ authorization: undefined }, AGENT, {})).toEqual({
      principal: null,
      why: "missing",
    });
    const open = await authenticatorWith({}, { anonymous: true });
    expect((await open.authenticator.authenticate({ authorization: undefined }, AGENT, {})).principal?.subject).toBe(
      "anonymous",
    );
  });

  it("R6 takes nobody for anonymous whose request was addressed to a name: a page may have it lead to us", async () => {
    const { key, authenticator } = await authenticatorWith({}, { anonymous: true });
    const from = (host: string, authorization?: string) =>
      authenticator.authenticate({ authorization, host }, AGENT, {}) as Promise<Authentication>;
    expect((await from("127.0.0.1:4700")).principal?.subject).toBe("anonymous");
    expect(await from("rebind.example:4700")).toEqual({ principal: null, why: "foreign host" });
    expect((await from("rebind.example:4700", `Bearer ${key}`)).principal?.subject).toBe("user:app");
  });

  it("asks anew for each request on a connection, also when it shows the same key again", async () => {
    const { key, authenticator } = await authenticatorWith({ expiresAt: now + 1 });
    const connection = {};
    const shows = async (header: string) =>
      (await authenticator.authenticate({ authorization: header }, AGENT, connection)).principal?.subject;
    expect(await shows(`Bearer ${key}`)).toBe("user:app");
    expect(await shows(`Bearer ${newApiKey().key}`)).toBeUndefined();
    expect(await shows("nonsense")).toBeUndefined();
    expect(await shows(`Bearer ${key}`)).toBe("user:app");
    time = now + 1;
    expect(await shows(`Bearer ${key}`)).toBeUndefined();
  });

  it("tells why a credential was not taken, and not that there was none", async () => {
    const told: unknown[] = [];
    const { authenticator } = await authenticatorWith(
      { revokedAt: 1 },
      { anonymous: false, onRefused: (why: string, agent: object) => told.push([why, agent]) },
    );
    const show = (credentials: Credentials) => authenticator.authenticate(credentials, AGENT, {});
    await show({ authorization: undefined });
    await show({ authorization: `Bearer ${newApiKey().key}` });
    await show({ authorization: undefined, agentToken: "x" });
    await show({ authorization: "Bearer x", agentToken: "x" });
    expect(told).toEqual([
      ["unknown", AGENT],
      ["unknown", AGENT],
      ["ambiguous", AGENT],
    ]);
  });
});
