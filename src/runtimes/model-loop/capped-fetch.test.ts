import { describe, expect, it } from "vitest";
import { cappedFetch } from "./capped-fetch.js";

const answering = (body: string | null, seen: RequestInit[] = []) =>
  cappedFetch(async (_input, init) => {
    seen.push(init ?? {});
    return new Response(body, { status: 200, headers: { "content-type": "text/plain" } });
  }, 10);

describe("cappedFetch", () => {
  it("passes on what fits, with status and headers", async () => {
    const response = await answering("0123456789")("http://127.0.0.1/");
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/plain"]);
    expect(await response.text()).toBe("0123456789");
  });

  it("breaks off an answer that is too large", async () => {
    const response = await answering("0123456789+")("http://127.0.0.1/");
    await expect(response.text()).rejects.toThrow("the answer has more than 10 bytes");
  });

  it("follows no redirects, and takes an answer without a body", async () => {
    const seen: RequestInit[] = [];
    const response = await answering(null, seen)("http://127.0.0.1/", { redirect: "follow" });
    expect(seen[0]?.redirect).toBe("manual");
    expect(await response.text()).toBe("");
  });
});
