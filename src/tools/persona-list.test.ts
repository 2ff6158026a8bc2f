import { describe, expect, it } from "vitest";
import { TestHouse, testPersona } from "../../test/support/test-house.js";

describe("persona_list", () => {
  it("D4 gives name, description and skills; the caller and other tenants are left out", async () => {
    const test = new TestHouse([
      testPersona("boss"),
      testPersona("researcher", {
        description: "Research assistant",
        skills: [{ name: "web-search", description: "", tags: [] }],
      }),
      testPersona("writer", { description: "" }),
      testPersona("stranger", { tenant: "other" }),
    ]);
    const outcome = await test.task("boss", "go").attempt().tools.call("persona_list", {}, "c1");
    const cards = [
      { name: "researcher", description: "Research assistant", skills: ["web-search"] },
      { name: "writer", description: "", skills: [] },
    ];
    expect(outcome).toEqual({ type: "result", value: cards, text: JSON.stringify(cards), isError: false });
  });

  it("X9 tells what is known of a skill beyond its name", async () => {
    const skills = [
      { name: "web-search", description: "Searches the web", tags: ["web"] },
      { name: "sums", description: "", tags: [] },
    ];
    const test = new TestHouse([testPersona("boss"), testPersona("researcher", { skills })]);
    const outcome = await test.task("boss", "go").attempt().tools.call("persona_list", {}, "c1");
    expect(outcome).toMatchObject({
      value: [{ skills: ["web-search", "sums"], skill_descriptions: { "web-search": "Searches the web" } }],
    });
  });

  it("D4 lists only those that the caller may send to", async () => {
    const test = new TestHouse([
      testPersona("boss", { capabilities: { allow: ["persona.send:writer"], requireApproval: [] } }),
      testPersona("researcher"),
      testPersona("writer"),
    ]);
    const outcome = await test.task("boss", "go").attempt().tools.call("persona_list", {}, "c1");
    expect(outcome).toMatchObject({ value: [{ name: "writer" }] });
  });
});
