import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { parseConfig } from "../src/config/load-config.js";
import { parsePlan } from "../src/config/parse-plan.js";
import { root } from "../src/config/schema/root.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const documents = [
  "README.md",
  ...readdirSync(join(ROOT, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];
const read = (name: string) => readFileSync(join(ROOT, name), "utf8");

describe("the YAML in the documentation", () => {
  const folder = mkdtempSync(join(tmpdir(), "nuncio-docs-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  for (const document of documents) {
    const blocks = [...read(document).matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map((match) => match[1] as string);
    blocks.forEach((yaml, at) => {
      it(`loads: ${document}, block ${at + 1}`, async () => {
        if (/^schema: 1$/m.test(yaml)) {
          expect(parsePlan(yaml, document).plan.steps.length).toBeGreaterThan(0);
          return;
        }
        for (const [, file] of yaml.matchAll(/(?:systemPromptFile|textFile): ([^\s,}]+)/g)) {
          mkdirSync(dirname(join(folder, file as string)), { recursive: true });
          writeFileSync(join(folder, file as string), "# A prompt\n");
        }
        const value = (name = "") => [name, name.endsWith("URL") ? "https://hooks.example.com/a-value" : "a-value"];
        const env = Object.fromEntries([...yaml.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => value(name)));
        const { personas, warnings } = await parseConfig(yaml, join(folder, "nuncio.yaml"), env);
        expect(personas.length).toBeGreaterThan(0);
        expect(warnings).toEqual([]);
      });
    });
  }
});

describe("docs/configuration.md", () => {
  const text = read("docs/configuration.md");
  const rows = [...text.matchAll(/^\| `([\w.]+)` \| `(.+?)` \|/gm)].map((match) => [
    match[1] as string,
    match[2] as string,
  ]);
  const settings = root.parse({ personas: [{ name: "a" }] });
  const [persona] = settings.personas;

  it.each(rows)("tells the default of %s", (path, shown) => {
    const at = (from: unknown) =>
      path.split(".").reduce((value, key) => (value as Record<string, unknown>)?.[key], from);
    const value = at(settings) ?? at(persona);
    // What has no default of its own in the schema is filled in from elsewhere, and told in words.
    if (value === undefined) return;
    expect(typeof value === "string" ? value : JSON.stringify(value)).toBe(shown);
  });

  it("names every setting there is", () => {
    const words = new Set([...text.matchAll(/`([^`\n]+)`/g)].flatMap(([, code]) => (code as string).split(/[^\w]+/)));
    const schema = z.toJSONSchema(root, { io: "input", unrepresentable: "any" });
    expect(keysOf(schema).filter((key) => !words.has(key))).toEqual([]);
  });
});

/** Settings with parts that no part of this version looks at: named as a whole. */
const WHOLE = new Set(["access.trustBundles", "access.oidc", "retention", "policy", "nodes"]);

/** The keys that may be written, at any depth. */
function keysOf(schema: z.core.JSONSchema.BaseSchema, path = ""): string[] {
  const inner = [schema.items, schema.anyOf, schema.oneOf, schema.additionalProperties].flat();
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([key, value]) => {
      const at = path === "" ? key : `${path}.${key}`;
      return typeof value === "object" && !WHOLE.has(at) ? [key, ...keysOf(value, at)] : [key];
    }),
    ...inner.flatMap((one) => (typeof one === "object" ? keysOf(one) : [])),
  ];
}
