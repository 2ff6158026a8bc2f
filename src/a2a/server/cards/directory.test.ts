import { expect, it } from "vitest";
import { cardPersona } from "../../../../test/support/card-facts.js";
import { Directory, PAGE_SIZE } from "./directory.js";
import type { Served } from "./served.js";

const read = (page: Served | undefined) => JSON.parse(page?.body ?? "null");

it("E2 the directory has the public agents of all tenants, and nothing of the others", () => {
  const personas = [
    { ...cardPersona, name: "b", description: "The second", skills: [{ name: "sums", description: "x", tags: [] }] },
    { ...cardPersona, name: "hidden", visibility: "private" as const },
    { ...cardPersona, name: "a", tenant: "acme" },
    { ...cardPersona, name: "a" },
  ];
  const page = new Directory(personas, "https://agents.example.com").page(1);
  const base = "https://agents.example.com/v1";
  expect(read(page)).toEqual({
    agents: [
      entry("acme", "a", `${base}/tenants/acme/agents/a/a2a`),
      entry("default", "a", `${base}/agents/a/a2a`),
      { ...entry("default", "b", `${base}/agents/b/a2a`), description: "The second", skills: ["sums"] },
    ],
    total: 3,
  });
  expect(page?.body).not.toContain("hidden");
});

it("E2 ten thousand agents come in pages, each agent once", () => {
  const personas = Array.from({ length: 10_000 }, (_, index) => ({ ...cardPersona, name: `agent-${index}` }));
  const directory = new Directory(personas, "https://agents.example.com");
  const names = new Set<string>();
  let pages = 0;
  for (let page = read(directory.page(1)); ; ) {
    pages += 1;
    expect(page.agents.length).toBeLessThanOrEqual(PAGE_SIZE);
    expect(page.total).toBe(10_000);
    for (const { name } of page.agents) names.add(name);
    if (page.next === undefined) break;
    page = read(directory.page(Number(new URL(page.next).searchParams.get("page"))));
  }
  expect([pages, names.size]).toEqual([50, 10_000]);
  for (const absent of [0, 51, -1]) expect(directory.page(absent)).toBeUndefined();
});

it("E2 without public agents it is there and empty", () => {
  expect(read(new Directory([], "https://agents.example.com").page(1))).toEqual({ agents: [], total: 0 });
});

const entry = (tenant: string, name: string, url: string) => ({
  name,
  tenant,
  description: `The agent ${name}`,
  url,
  card: `${url}/.well-known/agent-card.json`,
  skills: [],
});
