import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Edge, echo, scripted, startEdge } from "../support/a2a-edge.js";

const CARD = "/.well-known/agent-card.json";

describe("cards over HTTP", () => {
  let edge: Edge;
  beforeAll(async () => {
    edge = await startEdge({ http: { defaultAgent: "echo", publicBaseUrl: "https://agents.example.com/" } });
  });
  afterAll(() => edge.stop());

  it("E1 E2 E3 name the configured URL, whatever the request says of itself", async () => {
    for (const path of [CARD, `/v1/agents/echo/a2a${CARD}`, `/v1/agents/echo/a2a${CARD}/`]) {
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
    for (const path of [`${CARD}x`, `${CARD}/x`, `/x${CARD}`, `/v1/agents/echo/a2ax${CARD}`]) {
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
