import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createOutbound } from "../outbound/outbound.js";
import { fetchJsonOver } from "./fetch-json.js";

const ANSWERS: Record<string, RequestListener> = {
  "/good": (_, response) => response.end('{"issuer":"x"}'),
  "/missing": (_, response) => response.writeHead(404).end("{}"),
  "/broken": (_, response) => response.writeHead(500).end("{}"),
  "/elsewhere": (_, response) => response.writeHead(302, { location: "/good" }).end(),
  "/text": (_, response) => response.end("<html>"),
  "/empty": (_, response) => response.end(),
  "/huge": (_, response) => response.end(`"${"x".repeat(300_000)}"`),
  "/cut": (_, response) => {
    response.writeHead(200, { "content-length": "100" }).write("{");
    response.socket?.destroySoon();
  },
};

const server = createServer((request, response) => ANSWERS[request.url as string]?.(request, response));
let origin: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

const outbound = createOutbound({ mode: "production", allow: [] });
const fetchJson = fetchJsonOver(async () => outbound);

describe("documents of identity providers", () => {
  it("E25 are fetched from where the operator has said, on this machine too", async () => {
    expect(await fetchJson(`${origin}/good`)).toEqual({ issuer: "x" });
  });

  it.each(Object.keys(ANSWERS).filter((path) => path !== "/good"))("E25 are not taken from %s", async (path) => {
    await expect(fetchJson(origin + path)).rejects.toThrow();
  });

  it("E25 are not taken from where nobody answers", async () => {
    await expect(fetchJson("http://127.0.0.1:1/good")).rejects.toThrow();
  });
});
