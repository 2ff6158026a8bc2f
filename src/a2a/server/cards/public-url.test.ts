import { describe, expect, it } from "vitest";
import { baseUrl, grpcUrl, type PublicUrls } from "./public-url.js";

const development: PublicUrls = { mode: "development" };
const at = (host: string) => ({ host, port: 4700 });
const LOOPBACK = [
  ["127.0.0.1", "127.0.0.1:4700"],
  ["127.8.8.8", "127.8.8.8:4700"],
  ["localhost", "localhost:4700"],
  ["::1", "[::1]:4700"],
] as const;

describe("the URLs that cards name", () => {
  it("E3 are the configured ones", () => {
    const urls: PublicUrls = {
      mode: "production",
      publicBaseUrl: "https://agents.example.com/",
      grpcPublicUrl: "agents.example.com:443",
    };
    expect(baseUrl(urls, at("0.0.0.0"))).toBe("https://agents.example.com");
    expect(grpcUrl(urls, at("0.0.0.0"))).toBe("agents.example.com:443");
  });

  it.each(LOOPBACK)("E3 are the listen address on loopback: %s", (host, address) => {
    expect(baseUrl(development, at(host))).toBe(`http://${address}`);
    expect(grpcUrl(development, at(host))).toBe(address);
  });

  it.each(["0.0.0.0", "::", "10.0.0.1", "127.example.com", "example.com"])(
    "E3 are not guessed elsewhere: %s",
    (host) => {
      expect(baseUrl(development, at(host))).toBeUndefined();
      expect(grpcUrl(development, at(host))).toBeUndefined();
    },
  );

  it("E3 are not guessed in production", () => {
    expect(baseUrl({ mode: "production" }, at("127.0.0.1"))).toBeUndefined();
    expect(grpcUrl({ mode: "production" }, at("127.0.0.1"))).toBeUndefined();
  });

  it("are not there before somebody listens", () => {
    expect(baseUrl({ ...development, publicBaseUrl: "https://agents.example.com" }, undefined)).toBeUndefined();
    expect(grpcUrl({ ...development, grpcPublicUrl: "agents.example.com:443" }, undefined)).toBeUndefined();
  });
});
