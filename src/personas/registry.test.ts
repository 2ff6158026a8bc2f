import { describe, expect, it } from "vitest";
import type { Persona } from "./persona.js";
import { PersonaRegistry } from "./registry.js";

const persona = (name: string, changes: Partial<Persona> = {}): Persona => ({
  name,
  tenant: "default",
  description: "",
  visibility: "private",
  maxConcurrent: 2,
  skills: [],
  capabilities: { allow: [], requireApproval: [] },
  streaming: true,
  push: true,
  extendedCard: true,
  followUps: true,
  runtime: { type: "scripted", rules: [{ when: { text: /^hello/ }, steps: [{ reply: "hi" }] }] },
  ...changes,
});

describe("PersonaRegistry", () => {
  it("takes other personas in the place of those it has, and says what is different", () => {
    const registry = new PersonaRegistry([
      persona("stays"),
      persona("changes"),
      persona("goes"),
      persona("goes", acme),
    ]);
    const changes = registry.replace([
      persona("stays"),
      persona("changes", { visibility: "public" }),
      persona("comes"),
      persona("stays", acme),
    ]);
    expect(changes).toEqual({ added: ["comes", "acme/stays"], changed: ["changes"], removed: ["goes", "acme/goes"] });
    expect(registry.get("default", "changes")?.visibility).toBe("public");
    expect(registry.get("default", "goes")).toBeUndefined();
    expect(registry.inTenant("acme").map(({ name }) => name)).toEqual(["stays"]);
  });

  it("keeps the object of a persona that is as it was", () => {
    const registry = new PersonaRegistry([persona("stays"), persona("changes")]);
    const before = registry.all();
    registry.replace([persona("stays"), persona("changes", { runtime: rules(/^goodbye/) })]);
    expect(registry.get("default", "stays")).toBe(before[0]);
    expect(registry.get("default", "changes")).not.toBe(before[1]);
  });

  it("sees a change of a regular expression, whose parts are all that it has", () => {
    const registry = new PersonaRegistry([persona("a", { runtime: rules(/^hello/) })]);
    expect(registry.replace([persona("a", { runtime: rules(/^hello/) })]).changed).toEqual([]);
    expect(registry.replace([persona("a", { runtime: rules(/^hello/i) })]).changed).toEqual(["a"]);
  });
});

const acme = { tenant: "acme" };

const rules = (text: RegExp): Persona["runtime"] => ({
  type: "scripted",
  rules: [{ when: { text }, steps: [{ reply: "hi" }] }],
});
