import { describe, expect, it } from "vitest";
import { baseUrl } from "./base-url.js";

const listening = { mode: "development", host: "127.0.0.1", port: 4700 } as const;

describe("the URL that cards name", () => {
  it("E3 is the configured one", () => {
    expect(baseUrl({ ...listening, mode: "production", publicBaseUrl: "https://agents.example.com/" })).toBe(
      "https://agents.example.com",
    );
  });

  it.each([
    ["127.0.0.1", "http://127.0.0.1:4700"],
    ["127.8.8.8", "http://127.8.8.8:4700"],
    ["localhost", "http://localhost:4700"],
    ["::1", "http://[::1]:4700"],
  ])("E3 is the listen address on loopback: %s", (host, url) => {
    expect(baseUrl({ ...listening, host })).toBe(url);
  });

  it.each(["0.0.0.0", "::", "10.0.0.1", "127.example.com", "example.com"])(
    "E3 is not guessed elsewhere: %s",
    (host) => {
      expect(baseUrl({ ...listening, host })).toBeUndefined();
    },
  );

  it("E3 is not guessed in production", () => {
    expect(baseUrl({ ...listening, mode: "production" })).toBeUndefined();
  });
});
