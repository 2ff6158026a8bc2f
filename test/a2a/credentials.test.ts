import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLocalJWKSet, type JSONWebKeySet, type JWTPayload, jwtVerify, SignJWT, UnsecuredJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AgentName } from "../../src/access/agent-name.js";
import { newApiKey } from "../../src/access/api-key.js";
import type { AgentPolicy } from "../../src/access/policy/agent-policy.js";
import { fetchJsonOver } from "../../src/daemon/fetch-json.js";
import { createOutbound } from "../../src/outbound/outbound.js";
import { newId } from "../../src/shared/ids.js";
import { callV1, type Edge, rpc, type SseEvent, SseReader, scripted, sendV1, startEdge } from "../support/a2a-edge.js";
import { startIdentityProvider } from "../support/identity-provider.js";

const V1 = { "a2a-version": "1.0" };
const DESK_ID = "spiffe://example.com/agents/desk";
const LAB: AgentName = { tenant: "acme", name: "lab" };
const LAB_ID = "spiffe://example.com/tenants/acme/agents/lab";
const SCOUT_ID = "spiffe://partner.example/scout";

const policy = (over: Partial<AgentPolicy>): AgentPolicy => ({
  ...{ mode: "enforce", tools: [], a2aTargets: [], egressHosts: [] },
  ...over,
});
const takesAgents = policy({ a2aInbound: { agents: ["spiffe://example.com/*", "spiffe://partner.example/*"] } });
const callsAgents = policy({ a2aTargets: ["https://agents.example.com/*"], a2aInbound: takesAgents.a2aInbound });

const hanging = [{ when: { text: /^hang/ }, steps: [{ status: "hanging" }, { hang: true } as const] }];
const personas = [
  scripted("desk", hanging, { visibility: "public", policy: takesAgents }),
  scripted("quiet", [], { policy: takesAgents }),
  scripted("lab", [], { tenant: "acme", policy: callsAgents }),
  scripted("shy", [], { tenant: "acme", policy: takesAgents }),
];

const partner = generateKeyPairSync("ec", { namedCurve: "P-256" });
const directory = mkdtempSync(join(tmpdir(), "nuncio-partner-"));
const jwksFile = join(directory, "partner.jwks.json");
writeFileSync(jwksFile, JSON.stringify({ keys: [{ ...partner.publicKey.export({ format: "jwk" }), kid: "p1" }] }));

let provider: Awaited<ReturnType<typeof startIdentityProvider>>;
let edge: Edge;
let asked = 0;

beforeAll(async () => {
  provider = await startIdentityProvider();
  const oidc = [
    { issuer: provider.issuer, audience: "nuncio", tenant: "default" },
    { issuer: provider.issuer, audience: "for-acme", tenant: "acme", scopes: ["tasks:read" as const] },
  ];
  const outbound = createOutbound({ mode: "production", allow: [] });
  edge = await startEdge({
    personas,
    http: { publicBaseUrl: "https://agents.example.com" },
    access: { trustDomain: "example.com", trustBundles: { "partner.example": { jwksFile } }, oidc },
    fetchJson: fetchJsonOver(async () => outbound),
    onDatabase: () => {
      asked += 1;
    },
  });
});
afterAll(async () => {
  expect(edge.faults).toEqual([]);
  await edge.stop();
  await provider.stop();
  rmSync(directory, { recursive: true });
});

const desk = () => edge.urlOf("desk");
const agentHeaders = (token: string) => ({ ...V1, "x-nuncio-agent-token": token });
const bearer = (token: string) => ({ ...V1, authorization: `Bearer ${token}` });
const minted = async (agent = LAB, audience = "desk", lifetimeMs = 60_000) =>
  (await edge.access.agentTokens.mint(agent, audience, lifetimeMs)).token;
const statusOf = async (headers: Record<string, string>, url = desk()) =>
  (await rpc(url, sendV1("hi"), headers)).status;
const soon = () => Math.floor(Date.now() / 1000) + 60;
const foreign = (claims: object = {}) =>
  new SignJWT({ sub: SCOUT_ID, aud: DESK_ID, exp: soon(), ...claims })
    .setProtectedHeader({ alg: "ES256", kid: "p1" })
    .sign(partner.privateKey);

async function session(name: string, over: { tenant?: string; expiresAt?: number } = {}) {
  const { key: token, hash } = newApiKey("session");
  const id = newId();
  const { tenant = "default", expiresAt = Date.now() + 60_000 } = over;
  const kept = { id, kind: "session" as const, name, tenant, scopes: ["runs:execute" as const], createdAt: Date.now() };
  await edge.keys.createKey({ key: { ...kept, expiresAt, revokedAt: null }, hash });
  return { id, token };
}

const openStream = (headers: Record<string, string>): Promise<SseReader> =>
  SseReader.open(desk(), { ...sendV1("hang"), method: "SendStreamingMessage" }, headers);

/** The stream has begun, and says in the end that its caller is not known any more. */
async function endOf(stream: SseReader, first: SseEvent | undefined): Promise<void> {
  expect(first?.data.result.task).toBeDefined();
  const rest = await stream.rest();
  expect(rest.at(-1)?.data.error.code).toBe(-32000);
}

describe("tokens of agents", () => {
  it("E6 an agent of ours calls another one with a token that was made for it", async () => {
    const { status, json } = await rpc(desk(), sendV1("hi"), agentHeaders(await minted()));
    expect(status).toBe(200);
    const { id } = json.result.task;
    const [task] = (await edge.ledger.system.list({ limit: 1 })).items;
    expect(task).toMatchObject({ id, principal: `agent:${LAB_ID}`, tenant: "default" });
  });

  it("E6 E10 what an agent made is its own, whichever token and key it shows", async () => {
    const sent = await rpc(desk(), sendV1("hi"), agentHeaders(await minted()));
    const get = callV1("GetTask", { id: sent.json.result.task.id });
    await edge.access.agentTokens.rotate(LAB, { atOnce: false });
    expect((await rpc(desk(), get, agentHeaders(await minted()))).json.result.id).toBe(sent.json.result.task.id);
    expect((await rpc(desk(), get, agentHeaders(await foreign()))).json.error?.code).toBe(-32001);
    const { authorization } = await edge.key("somebody", { tenant: "acme" });
    expect((await rpc(desk(), get, { ...V1, authorization })).json.error?.code).toBe(-32001);
  });

  it("E6 an agent of a partner calls with a token that its trust domain vouches for", async () => {
    expect(await statusOf(agentHeaders(await foreign()))).toBe(200);
    const [task] = (await edge.ledger.system.list({ limit: 1 })).items;
    expect(task?.principal).toBe(`agent:${SCOUT_ID}`);
  });

  const refused: [what: string, headers: () => Promise<Record<string, string>>][] = [
    ["another audience", async () => agentHeaders(await minted(LAB, "quiet"))],
    ["another audience, of a partner", async () => agentHeaders(await foreign({ aud: LAB_ID }))],
    ["the name of an agent of ours, signed by a partner", async () => agentHeaders(await foreign({ sub: LAB_ID }))],
    ["no signature", async () => agentHeaders(new UnsecuredJWT({ sub: LAB_ID, aud: DESK_ID, exp: soon() }).encode())],
    ["the token of an agent as a bearer", async () => bearer(await minted())],
    ["a bearer's token as that of an agent", async () => agentHeaders(await provider.token())],
    ["an API key as the token of an agent", async () => agentHeaders((await edge.key("app")).key)],
    ["an empty token", async () => agentHeaders("")],
    ["two good credentials", async () => ({ ...agentHeaders(await minted()), ...bearer((await edge.key("app")).key) })],
    ["a good token beside a bad key", async () => ({ ...agentHeaders(await minted()), ...bearer("nonsense") })],
    ["a good key beside a bad token", async () => ({ ...agentHeaders("x"), ...bearer((await edge.key("app")).key) })],
    ["the same token twice", async () => agentHeaders(`${await minted()}, ${await minted()}`)],
  ];
  it.each(refused)("E6 %s: 401, and where the agent is private as if it were not there", async (_, headers) => {
    const shown = await headers();
    const { status, headers: answer } = await rpc(desk(), "{ no json", shown);
    expect(status).toBe(401);
    expect(answer.get("www-authenticate")).toContain("invalid_token");
    const absent = await rpc(edge.urlOf("nobody"), "{ no json", shown);
    const hidden = await rpc(`${edge.origin}/v1/tenants/acme/agents/shy/a2a`, "{ no json", shown);
    expect([hidden.status, hidden.text]).toEqual([absent.status, absent.text]);
    expect(absent.status).toBe(404);
  });

  it("E6 E4 an agent reaches the private ones of its own tenant, and no others", async () => {
    const shy = `${edge.origin}/v1/tenants/acme/agents/shy/a2a`;
    expect(await statusOf(agentHeaders(await minted(LAB, "acme/shy")), shy)).toBe(200);
    expect(await statusOf(agentHeaders(await minted(LAB, "quiet")), edge.urlOf("quiet"))).toBe(404);
    expect(await statusOf(agentHeaders(await foreign({ aud: `${LAB_ID.replace("lab", "shy")}` })), shy)).toBe(404);
  });

  it("E6 a token is asked for anew at each request on a connection, and verified for each agent", async () => {
    const token = await minted();
    for (let at = 0; at < 5; at++) expect(await statusOf(agentHeaders(token))).toBe(200);
    expect(await statusOf(agentHeaders(token), edge.urlOf("quiet"))).toBe(404);
    expect(await statusOf(agentHeaders(token))).toBe(200);
  });

  it("E6 a stream ends with the token that opened it", async () => {
    const stream = await openStream(agentHeaders(await minted(LAB, "desk", 2000)));
    await endOf(stream, await stream.next());
  });

  it("E6 streams end when the key counts no more that their token was signed with; a new token is good", async () => {
    const old = await minted();
    const stream = await openStream(agentHeaders(old));
    const first = await stream.next();
    await edge.access.agentTokens.rotate(LAB, { atOnce: true });
    await endOf(stream, first);
    expect(await statusOf(agentHeaders(old))).toBe(401);
    expect(await statusOf(agentHeaders(await minted()))).toBe(200);
  });
});

describe("the keys of agents", () => {
  const keysUrl = (agentId: string) => `${edge.origin}/.well-known/nuncio-agent-keys/${agentId}`;
  const shown = async (response: Response) => {
    const headers = [...response.headers].filter(([name]) => name !== "date");
    return { status: response.status, headers, body: await response.text() };
  };

  it("E6 verify what the agent signs, before and after a rotation", async () => {
    const agent = { tenant: "default", name: "desk" };
    const old = await minted(agent, "acme/shy");
    const verified = async (token: string) => {
      const response = await fetch(keysUrl("desk"));
      expect(response.headers.get("cache-control")).toBe("public, max-age=60");
      const { payload } = await jwtVerify(token, createLocalJWKSet((await response.json()) as JSONWebKeySet), {
        algorithms: ["ES256"],
      });
      return payload.sub;
    };
    expect(await verified(old)).toBe(DESK_ID);
    await edge.access.agentTokens.rotate(agent, { atOnce: false });
    expect([await verified(old), await verified(await minted(agent, "acme/shy"))]).toEqual([DESK_ID, DESK_ID]);
    await edge.access.agentTokens.rotate(agent, { atOnce: true });
    await expect(verified(old)).rejects.toThrow();
    expect(await verified(await minted(agent, "acme/shy"))).toBe(DESK_ID);
  });

  it("E6 whoever has them is told that they are the same", async () => {
    const { headers } = await fetch(keysUrl("desk"));
    const again = await fetch(keysUrl("desk"), { headers: { "if-none-match": headers.get("etag") as string } });
    expect(again.status).toBe(304);
    expect((await fetch(keysUrl("desk"), { method: "HEAD" })).headers.get("etag")).toBe(headers.get("etag"));
  });

  it("E6 E4 of a private agent are there for its own tenant, and to everybody else as if there were no agent", async () => {
    await minted(LAB);
    const inside = await fetch(keysUrl("acme/lab"), { headers: { ...(await edge.key("app", { tenant: "acme" })) } });
    expect(inside.status).toBe(200);
    expect(inside.headers.get("cache-control")).toBe("private, max-age=60");
    expect(((await inside.json()) as JSONWebKeySet).keys.length).toBeGreaterThan(0);
    const absent = await shown(await fetch(keysUrl("acme/nobody")));
    expect(absent.status).toBe(404);
    const outside = { authorization: (await edge.key("app")).authorization };
    const agent = { "x-nuncio-agent-token": await foreign() };
    const shownBy: Record<string, string>[] = [{}, outside, { authorization: "Bearer x" }, agent];
    for (const headers of shownBy) {
      expect(await shown(await fetch(keysUrl("acme/lab"), { headers }))).toEqual(absent);
      expect(await shown(await fetch(keysUrl("acme/nobody"), { headers }))).toEqual(absent);
    }
    for (const other of ["default/desk", "acme", "", "a/b/c", "%ff", "..%2F", "desk%00"]) {
      expect(await shown(await fetch(keysUrl(other)))).toEqual(absent);
    }
  });

  it("E6 nobody gets an agent its first key by looking for it", async () => {
    const before = asked;
    const { authorization } = await edge.key("reader");
    asked = before;
    expect(await (await fetch(keysUrl("quiet"), { headers: { authorization } })).json()).toEqual({ keys: [] });
    expect(asked).toBe(before);
  });
});

describe("session tokens", () => {
  it("E5 E10 are the same caller as a key of that name", async () => {
    const { token } = await session("ada");
    const sent = await rpc(desk(), sendV1("hi"), bearer(token));
    expect(sent.status).toBe(200);
    const get = callV1("GetTask", { id: sent.json.result.task.id });
    const { authorization } = await edge.key("ada");
    expect((await rpc(desk(), get, { ...V1, authorization })).json.result.id).toBe(sent.json.result.task.id);
    const elsewhere = await session("ada", { tenant: "acme" });
    expect((await rpc(desk(), get, bearer(elsewhere.token))).json.error?.code).toBe(-32001);
  });

  it("E5 are refused when they have ended", async () => {
    expect(await statusOf(bearer((await session("ada", { expiresAt: Date.now() })).token))).toBe(401);
  });

  it("E5 end at once when they are revoked, and their streams with them", async () => {
    const { id, token } = await session("ada");
    const stream = await openStream(bearer(token));
    const first = await stream.next();
    await edge.keys.revokeKey({ id, now: Date.now() });
    await endOf(stream, first);
    expect(await statusOf(bearer(token))).toBe(401);
  });
});

describe("tokens of an identity provider", () => {
  it("E25 name a caller of the configured tenant, by issuer and subject", async () => {
    const { status, json } = await rpc(edge.urlOf("quiet"), sendV1("hi"), bearer(await provider.token()));
    expect(status).toBe(200);
    const [task] = (await edge.ledger.system.list({ limit: 1 })).items;
    expect(task).toMatchObject({ id: json.result.task.id, principal: `oidc:${provider.issuer}#ada` });
  });

  it("E25 E10 callers are told apart by their subject, and keep what is theirs over tokens", async () => {
    const sent = await rpc(desk(), sendV1("hi"), bearer(await provider.token({ sub: "ada" })));
    const get = callV1("GetTask", { id: sent.json.result.task.id });
    const found = async (claims: JWTPayload) =>
      (await rpc(desk(), get, bearer(await provider.token(claims)))).json.result?.id !== undefined;
    expect(await found({ sub: "ada", jti: "another" })).toBe(true);
    expect(await found({ sub: "bob" })).toBe(false);
    const { authorization } = await edge.key("ada", { scopes: ["runs:execute"] });
    expect((await rpc(desk(), get, { ...V1, authorization })).json.error?.code).toBe(-32001);
  });

  it("E25 what they may do is what the token says, or what the configuration says", async () => {
    const scope = async (claims: JWTPayload) => statusOf(bearer(await provider.token(claims)));
    expect(await scope({ scope: "openid profile" })).toBe(403);
    expect(await scope({ scope: undefined })).toBe(403);
    expect(await scope({ scope: undefined, scp: ["runs:execute"] })).toBe(200);
    expect(await scope({ scope: "runs:execute", aud: ["other", "for-acme"] })).toBe(403);
    expect(await scope({ scope: "runs:execute", aud: ["other", "nuncio"] })).toBe(200);
  });

  it("E25 of an issuer that is not configured cost no request to anybody", async () => {
    const before = [...provider.requests];
    const token = await provider.token({ iss: `${provider.issuer}/` });
    expect(await statusOf(bearer(token))).toBe(401);
    expect(await statusOf(bearer(await provider.token({ iss: "http://127.0.0.1:1/" })))).toBe(401);
    expect(provider.requests).toEqual(before);
  });

  it("E25 a stream ends with the token that opened it", async () => {
    const now = Math.floor(Date.now() / 1000);
    const stream = await openStream(bearer(await provider.token({ exp: now - 58 })));
    await endOf(stream, await stream.next());
  });
});

describe("before it is known who calls", () => {
  it("E5 no body is parsed and no database is asked, whatever is shown", async () => {
    const good = await edge.key("app");
    expect(await statusOf(bearer(good.key))).toBe(200);
    const expired = await minted(LAB, "desk", 1000);
    const broken = expired.replace(/[^.]+$/, Buffer.alloc(64, 1).toString("base64url"));
    const revoked = await edge.key("revoked");
    await edge.keys.revokeKey({ id: revoked.id, now: Date.now() });
    const shown: Record<string, string>[] = [
      {},
      bearer(newApiKey().key),
      bearer(newApiKey("session").key),
      bearer(revoked.key),
      bearer("nonsense"),
      bearer(await provider.token({ aud: "other" })),
      agentHeaders("nonsense"),
      agentHeaders(broken),
      agentHeaders(await minted(LAB, "quiet")),
      agentHeaders(await foreign({ sub: LAB_ID })),
      { ...agentHeaders(expired), ...bearer(good.key) },
    ];
    const before = asked;
    for (const headers of shown) {
      for (const agent of ["desk", "quiet", "nobody"]) {
        const { status } = await rpc(edge.urlOf(agent), "{ no json", headers);
        expect(status).toBe(agent === "desk" ? 401 : 404);
        expect((await fetch(`${edge.urlOf(agent)}/.well-known/agent-card.json`, { headers })).status).toBe(
          agent === "desk" ? 200 : 404,
        );
      }
    }
    expect(asked).toBe(before);
    // What is counted is what is asked.
    expect(await statusOf(bearer(good.key))).toBe(200);
    expect(asked).toBeGreaterThan(before);
  });
});
