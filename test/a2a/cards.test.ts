import { AgentCard, verifyAgentCardSignature } from "@a2a-js/sdk";
import { ClientFactory, ClientFactoryOptions, JsonRpcTransportFactory } from "@a2a-js/sdk/client";
import * as sdk03 from "a2a-sdk-0-3/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DETAILS_EXTENSION } from "../../src/a2a/server/cards/details.js";
import { type Edge, echo, rpc, scripted, startEdge } from "../support/a2a-edge.js";
import { everything, newCardKeys } from "../support/card-facts.js";
import { cardV03 } from "../support/card-v03.js";

const CARD = "/.well-known/agent-card.json";
const DIRECTORY = "/.well-known/agent.json";
const KEYS = "/.well-known/jwks.json";

describe("cards over HTTP", () => {
  let edge: Edge;
  beforeAll(async () => {
    edge = await startEdge({ http: { defaultAgent: "echo", publicBaseUrl: "https://agents.example.com/" } });
  });
  afterAll(() => edge.stop());

  it("E1 E2 E3 name the configured URL, whatever the request says of itself", async () => {
    for (const path of [CARD, `/v1/agents/echo/a2a${CARD}`, `/v1/agents/echo/a2a${CARD}/`, `/v1/agents/echo${CARD}`]) {
      const response = await fetch(edge.origin + path, {
        headers: {
          "a2a-version": "1.0",
          "x-forwarded-host": "evil.example",
          "x-forwarded-proto": "http",
          forwarded: "host=evil.example",
        },
      });
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toContain("application/json");
      const card = (await response.json()) as { supportedInterfaces: { url: string }[] };
      expect(card.supportedInterfaces[0]?.url).toBe("https://agents.example.com/v1/agents/echo/a2a");
    }
  });

  it("E3 can be cached, and vary by version", async () => {
    const first = await fetch(edge.origin + CARD);
    const etag = first.headers.get("etag") as string;
    expect(first.headers.get("vary")).toContain("A2A-Version");
    expect(first.headers.get("cache-control")).toBe("public, max-age=300");
    const lastModified = first.headers.get("last-modified") as string;
    expect(Date.parse(lastModified)).toBeGreaterThan(0);
    const status = async (headers: Record<string, string>) => (await fetch(edge.origin + CARD, { headers })).status;
    expect(await status({ "if-none-match": etag })).toBe(304);
    expect(await status({ "if-none-match": `W/"x", ${etag}` })).toBe(304);
    expect(await status({ "if-none-match": '"x"', "if-modified-since": lastModified })).toBe(200);
    expect(await status({ "if-modified-since": lastModified })).toBe(304);
    expect(await status({ "if-modified-since": "yesterday" })).toBe(200);
    expect(await status({ "if-none-match": etag, "a2a-version": "1.0" })).toBe(200);
  });

  it("E1 answer a look at their headers; nothing but a card is at their path", async () => {
    const get = await fetch(edge.origin + CARD);
    const head = await fetch(edge.origin + CARD, { method: "HEAD" });
    expect(head.status).toBe(200);
    expect(head.headers.get("content-length")).toBe(get.headers.get("content-length"));
    expect(await head.text()).toBe("");
    for (const path of [
      ...[`${CARD}x`, `${CARD}/x`, `/x${CARD}`, `/v1/agents/echo/a2ax${CARD}`, `/v1/agents/echo/x${CARD}`],
      ...[`/v1/agents${CARD}`, `/v1/agents/echo${CARD}x`, `/v1/tenants/default${CARD}`],
    ]) {
      expect((await fetch(edge.origin + path)).status).toBe(404);
    }
    expect((await fetch(edge.origin + CARD, { method: "POST", body: "{}" })).status).toBe(404);
  });

  it("the listener says that it is healthy, and nothing else at any other path", async () => {
    for (const path of ["/healthz", "/healthz/", "/healthz?x"]) {
      const response = await fetch(edge.origin + path);
      expect(await response.json()).toEqual({ status: "ok" });
      expect(response.headers.get("cache-control")).toBe("no-store");
    }
    for (const path of ["/", "/healthzx", "/v1", "/v1/tasks"]) {
      const response = await fetch(edge.origin + path);
      expect(response.status).toBe(404);
      expect(await response.json()).toEqual({ error: "not found" });
    }
  });

  it("E3 are not served in production without a public URL", async () => {
    const production = await startEdge({ http: { mode: "production", defaultAgent: "echo" } });
    try {
      expect((await fetch(production.origin + CARD)).status).toBe(404);
      expect((await fetch(production.urlOf("echo") + CARD)).status).toBe(404);
    } finally {
      await production.stop();
    }
  });

  it("E2 the default agent must be public; without one there is no card at the root", async () => {
    const hidden = await startEdge({ personas: [scripted("hidden", [])], http: { defaultAgent: "hidden" } });
    const none = await startEdge({ personas: [echo] });
    try {
      expect((await fetch(hidden.origin + CARD)).status).toBe(404);
      expect((await fetch(none.origin + CARD)).status).toBe(404);
    } finally {
      await hidden.stop();
      await none.stop();
    }
  });
});

describe("a card with everything in it", () => {
  let edge: Edge;
  let authorized: typeof fetch;
  beforeAll(async () => {
    const { security, about } = everything;
    edge = await startEdge({
      personas: [echo, scripted("hidden", []), scripted("acme-open", [], { tenant: "acme", visibility: "public" })],
      http: {
        defaultAgent: "echo",
        cards: { security: { ...security, anonymous: false }, about, push: true, rest: true, keys: newCardKeys() },
      },
    });
    const { authorization } = await edge.key("caller");
    authorized = (input, init) =>
      fetch(input, { ...init, headers: { ...(init?.headers as Record<string, string>), authorization } });
  });
  afterAll(async () => {
    expect(edge.faults).toEqual([]);
    await edge.stop();
  });

  const json = async (path: string, headers: Record<string, string> = {}) =>
    // biome-ignore lint/suspicious/noExplicitAny: tests look into documents of every shape.
    (await (await fetch(edge.origin + path, { headers })).json()) as any;

  /** As a verifier does it: the keys are fetched from where the card says they are. */
  const verifier = () =>
    verifyAgentCardSignature(async (kid, jku) => {
      expect(jku).toBe(edge.origin + KEYS);
      const { keys } = (await (await fetch(jku as string)).json()) as { keys: { kid: string; kty: string }[] };
      return keys.find((key) => key.kid === kid) as { kid: string; kty: string };
    });

  it.each<Record<string, string>>([{}, { "a2a-version": "1.0" }])(
    "E3 is verified by the official library from the bytes that are served: %s",
    async (headers) => {
      const card = await json(CARD, headers);
      await verifier()(card);
      await verifier()(AgentCard.fromJSON(card));
      await expect(verifier()({ ...card, name: "another" })).rejects.toThrow("No valid signatures");
    },
  );

  it("E3 E14 the client 1.3.0 verifies the extended card that it fetches", async () => {
    const options = { transports: [new JsonRpcTransportFactory({ fetchImpl: authorized })] };
    const factory = new ClientFactory(ClientFactoryOptions.createFrom(ClientFactoryOptions.default, options));
    const client = await factory.createFromUrl(`${edge.urlOf("echo")}/`);
    const card = await client.getAgentCard(undefined, verifier());
    expect(card.capabilities?.extensions.map(({ uri }) => uri)).toContain(DETAILS_EXTENSION);
    expect(Object.keys(card.securitySchemes)).toEqual([
      "nuncioBearer",
      "nuncioAgentToken",
      "openIdConnect",
      "openIdConnect2",
    ]);
  });

  it("E20 a version may be asked for in the query, too", async () => {
    for (const query of ["?A2A-Version=1.0", "?x&A2A-Version=1.0"]) {
      expect(await json(CARD + query)).toEqual(await json(CARD, { "a2a-version": "1.0" }));
    }
    expect(await json(`${CARD}?A2A-Version=0.3`)).toEqual(await json(CARD));
  });

  it("E13 the extended card is the caller's own, also over REST, where caches are about", async () => {
    for (const path of ["/extendedAgentCard", "/v1/card"]) {
      const response = await authorized(edge.urlOf("echo") + path);
      expect(response.status).toBe(200);
      expect(response.headers.get("cache-control")).toBe("private, max-age=60");
      expect(response.headers.get("vary")).toContain("Authorization");
      expect(await response.text()).toContain(DETAILS_EXTENSION);
      const refused = await fetch(edge.urlOf("echo") + path);
      expect(refused.status).toBe(401);
      expect(refused.headers.get("cache-control")).toBeNull();
    }
  });

  it("E14 clients find the card by the URL of the endpoint, with a slash at its end or without", async () => {
    for (const url of [edge.urlOf("echo"), `${edge.urlOf("echo")}/`, edge.origin]) {
      expect((await new ClientFactory().createFromUrl(url)).protocolVersion).toBe("1.0");
      const client = await new sdk03.ClientFactory().createFromUrl(url);
      expect(client).toBeInstanceOf(sdk03.Client);
    }
  });

  it("E14 the client 1.3.0 reads the card of both versions as it reads the pure one", async () => {
    const { card: hybrid } = { card: await json(CARD) };
    expect(AgentCard.fromJSON({ ...hybrid, signatures: [] })).toEqual(
      AgentCard.fromJSON({ ...(await json(CARD, { "a2a-version": "1.0" })), signatures: [] }),
    );
    const client = await new ClientFactory().createFromAgentCard(hybrid);
    expect(client.protocolVersion).toBe("1.0");
  });

  it("E14 a client of 0.3 that checks its input accepts it", async () => {
    const card = await json(CARD);
    expect(cardV03.parse(card)).toEqual(card);
  });

  it("E13 E14 the client 0.3.14 reads it, and fetches the extended one in its own version", async () => {
    const { ClientFactory, ClientFactoryOptions, JsonRpcTransportFactory } = sdk03;
    const options = { transports: [new JsonRpcTransportFactory({ fetchImpl: authorized })] };
    const factory = new ClientFactory(ClientFactoryOptions.createFrom(ClientFactoryOptions.default, options));
    const card = await (await factory.createFromUrl(`${edge.urlOf("echo")}/`)).getAgentCard();
    expect(cardV03.parse(card)).toEqual(card);
    expect(card).not.toHaveProperty("supportedInterfaces");
    expect(card.capabilities.extensions?.map(({ uri }) => uri)).toContain(DETAILS_EXTENSION);
  });

  it("E4 E13 the extended card needs a credential, and tells a caller of another tenant less", async () => {
    const body = { jsonrpc: "2.0", id: 1, method: "GetExtendedAgentCard" };
    const v1 = { "a2a-version": "1.0" };
    expect((await rpc(edge.urlOf("echo"), body, v1)).status).toBe(401);
    const detailsFor = async (tenant: string) => {
      const { authorization } = await edge.key("reader", { tenant, scopes: ["runs:execute"] });
      const { json } = await rpc(edge.urlOf("echo"), body, { ...v1, authorization });
      return AgentCard.fromJSON(json.result).capabilities?.extensions.find(({ uri }) => uri === DETAILS_EXTENSION)
        ?.params;
    };
    expect(Object.keys((await detailsFor("acme")) ?? {})).toEqual(["limits", "followUps"]);
    expect(await detailsFor("default")).toMatchObject({ runtime: "scripted", tenant: "default" });
  });

  it("E3 X13 the keys are published without their private part, and can be cached", async () => {
    const { keys } = await json(KEYS);
    expect(keys).toHaveLength(1);
    expect(keys[0]).not.toHaveProperty("d");
    for (const path of [KEYS, `${KEYS}/`, `${KEYS}?x`]) {
      const response = await fetch(edge.origin + path);
      expect(response.status).toBe(200);
      expect(response.headers.get("cache-control")).toBe("public, max-age=60");
      const headers = { "if-none-match": response.headers.get("etag") as string };
      expect((await fetch(edge.origin + path, { headers })).status).toBe(304);
    }
  });

  it("E2 the directory names the public agents, with their cards, and says nothing of the others", async () => {
    const directory = await json(DIRECTORY);
    expect(directory).toEqual({
      agents: [
        {
          name: "acme-open",
          tenant: "acme",
          description: "acme-open of the tests",
          url: `${edge.origin}/v1/tenants/acme/agents/acme-open/a2a`,
          card: `${edge.origin}/v1/tenants/acme/agents/acme-open/a2a${CARD}`,
          skills: [],
        },
        expect.objectContaining({ name: "echo", url: edge.urlOf("echo"), card: edge.urlOf("echo") + CARD }),
      ],
      total: 2,
    });
    for (const { card } of directory.agents) expect((await fetch(card)).status).toBe(200);
  });

  it("E2 the directory can be cached; a slash, a look at its headers and pages are understood", async () => {
    const first = await fetch(edge.origin + DIRECTORY);
    expect(first.headers.get("cache-control")).toBe("public, max-age=300");
    const etag = first.headers.get("etag") as string;
    expect((await fetch(edge.origin + DIRECTORY, { headers: { "if-none-match": etag } })).status).toBe(304);
    for (const path of [`${DIRECTORY}/`, `${DIRECTORY}?page=1`, `${DIRECTORY}/?page=1&x`]) {
      expect((await fetch(edge.origin + path)).headers.get("etag")).toBe(etag);
    }
    const head = await fetch(edge.origin + DIRECTORY, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    for (const page of ["2", "0", "-1", "1.5", "x", "", "9".repeat(20)]) {
      expect((await fetch(`${edge.origin}${DIRECTORY}?page=${page}`)).status).toBe(404);
    }
    expect((await fetch(edge.origin + DIRECTORY, { method: "POST", body: "{}" })).status).toBe(404);
  });
});

describe("cards and a changed configuration", () => {
  it("E3 follow the personas, the URL and the keys; what has not changed keeps its tag", async () => {
    const edge = await startEdge({ personas: [echo, scripted("other", [], { visibility: "public" })] });
    try {
      const tagOf = async (name: string) => (await fetch(edge.urlOf(name) + CARD)).headers.get("etag");
      const modified = async () =>
        Date.parse((await fetch(edge.urlOf("echo") + CARD)).headers.get("last-modified") ?? "");
      const [tag, otherTag, before] = [await tagOf("echo"), await tagOf("other"), await modified()];
      edge.personas.replace([{ ...echo, description: "changed" }, scripted("other", [], { visibility: "public" })]);
      edge.edge.publication.changed();
      expect(await tagOf("echo")).not.toBe(tag);
      expect(await tagOf("other")).toBe(otherTag);
      expect(await modified()).toBeGreaterThanOrEqual(before);

      edge.personas.replace([{ ...echo, visibility: "private" }]);
      edge.edge.publication.changed({
        ...edge.cardFacts,
        publicBaseUrl: "https://agents.example.com",
        keys: newCardKeys(),
      });
      expect(await (await fetch(edge.origin + DIRECTORY)).json()).toEqual({ agents: [], total: 0 });
      expect((await fetch(edge.urlOf("other") + CARD)).status).toBe(404);
      const { authorization } = await edge.key("mine");
      const card = (await (await fetch(edge.urlOf("echo") + CARD, { headers: { authorization } })).json()) as {
        url: string;
        signatures: object[];
      };
      expect(card.url).toBe("https://agents.example.com/v1/agents/echo/a2a");
      expect(card.signatures.length).toBeGreaterThan(0);
      expect((await fetch(edge.origin + KEYS)).status).toBe(200);
    } finally {
      await edge.stop();
    }
  });
});

describe("what a private agent's card tells", () => {
  it("E3 E4 may be kept by the caller alone, and by nobody who shows another credential", async () => {
    const edge = await startEdge({ personas: [scripted("hidden", [])] });
    try {
      const { authorization } = await edge.key("mine");
      const response = await fetch(edge.urlOf("hidden") + CARD, { headers: { authorization } });
      expect(response.headers.get("cache-control")).toBe("private, max-age=60");
      expect(response.headers.get("vary")).toBe("A2A-Version, Authorization, X-Nuncio-Agent-Token");
      const etag = response.headers.get("etag") as string;
      // Whoever guesses the tag of a card learns nothing by it.
      const guessed = await fetch(edge.urlOf("hidden") + CARD, { headers: { "if-none-match": etag } });
      expect(guessed.status).toBe(404);
      expect(guessed.headers.get("etag")).toBeNull();
    } finally {
      await edge.stop();
    }
  });

  it("E4 is the same as of one that is not there, wherever cards stand, by every method and condition", async () => {
    const edge = await startEdge({ personas: [scripted("hidden", [], { tenant: "acme" })] });
    try {
      const { authorization } = await edge.key("theirs");
      const answers = new Set<string>();
      const variants: Record<string, string>[] = [
        ...[{}, { authorization }, { "if-none-match": "*" }, { "a2a-version": "0.3" }],
      ];
      const absent = { "/v1": "absent", "/v1/tenants/acme": "hidden", "/v1/tenants/nobody": "hidden" };
      for (const [at, name] of Object.entries(absent)) {
        for (const place of [`/a2a${CARD}`, `/a2a${CARD}/`, CARD, `${CARD}?x=1`]) {
          for (const method of ["GET", "POST", "PUT", "DELETE", "OPTIONS"]) {
            for (const headers of variants) {
              const response = await fetch(`${edge.origin}${at}/agents/${name}${place}`, { method, headers });
              const shown = [...response.headers].filter(([header]) => header !== "date");
              answers.add(JSON.stringify([response.status, await response.text(), shown]));
            }
          }
        }
      }
      expect([...answers]).toHaveLength(1);
      expect([...answers][0]).toMatch(/^\[404,/);
    } finally {
      await edge.stop();
    }
  });

  it("E2 E3 in production nothing is published without a public URL, not even the directory", async () => {
    const edge = await startEdge({ http: { mode: "production", cards: { keys: newCardKeys() } } });
    try {
      for (const path of [DIRECTORY, KEYS]) expect((await fetch(edge.origin + path)).status).toBe(404);
      const { authorization } = await edge.key("mine");
      const call = { jsonrpc: "2.0", id: 1, method: "GetExtendedAgentCard" };
      const { json } = await rpc(edge.urlOf("echo"), call, { authorization, "a2a-version": "1.0" });
      expect(json.error?.code).toBe(-32007);
    } finally {
      await edge.stop();
    }
  });

  it("E13 who is let in without a credential gets no more by asking than the public card says", async () => {
    const edge = await startEdge({ personas: [echo], http: { anonymous: true } });
    try {
      const v1 = { "a2a-version": "1.0" };
      const { json } = await rpc(edge.urlOf("echo"), { jsonrpc: "2.0", id: 1, method: "GetExtendedAgentCard" }, v1);
      expect(json.result).toEqual(await (await fetch(edge.urlOf("echo") + CARD, { headers: v1 })).json());
    } finally {
      await edge.stop();
    }
  });
});
