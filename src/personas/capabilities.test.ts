import { describe, expect, it } from "vitest";
import { allows, allowsSome, parseCapability } from "./capabilities.js";

describe("what a grant allows", () => {
  const table: [granted: string[], needed: string, allowed: boolean][] = [
    [["persona.send:*"], "persona.send:researcher", true],
    [["persona.send:researcher"], "persona.send:researcher", true],
    [["persona.send:writer", "persona.send:researcher"], "persona.send:researcher", true],
    [["net.http"], "net.http", true],
    [["mcp.files:*"], "mcp.files:read_text", true],
    [[], "persona.send:researcher", false],
    [["persona.send:researcher"], "persona.send:writer", false],
    [["persona.send:researcher"], "persona.send:researcher2", false],
    [["persona.send:researcher"], "persona.send:Researcher", false],
    [["channel.send:*"], "persona.send:researcher", false],
    [["persona.sen:*"], "persona.send:researcher", false],
    [["persona.send"], "persona.send:researcher", false],
    [["persona.send:*"], "persona.send", false],
    [["net.http:*"], "net.http", false],
    // Names that come from a model or a caller: `*` and `:` in them are plain characters.
    [["persona.send:researcher"], "persona.send:*", false],
    [["persona.send:researcher"], "persona.send:researcher:x", false],
    [["persona.send:researcher"], "persona.send:x:researcher", false],
    [["persona.send:researcher"], "persona.send:", false],
    [["persona.send:*"], "persona.send:", false],
    [["net.http"], "net.http:", false],
    // Labels that nobody may grant grant nothing, even to a name that is spelled the same.
    [["persona.send:res*"], "persona.send:researcher", false],
    [["persona.send:res*"], "persona.send:res*", false],
    [["persona.*:researcher"], "persona.send:researcher", false],
    [["*"], "persona.send:researcher", false],
    [["*:*"], "persona.send:researcher", false],
    [["persona.send:*:x"], "persona.send:x", false],
    [["persona.send: *"], "persona.send:x", false],
    [["constructor.prototype:*"], "persona.send:x", false],
  ];
  it.each(table)("D6 %j, asked for %j: %j", (granted, needed, allowed) => {
    expect(allows(granted, needed)).toBe(allowed);
  });

  it("D6 a tool is listed when some scope of its action is granted", () => {
    expect(allowsSome(["persona.send:*"], "persona.send")).toBe(true);
    expect(allowsSome(["net.http", "persona.send:writer"], "persona.send")).toBe(true);
    expect(allowsSome(["persona.send"], "persona.send")).toBe(false);
    expect(allowsSome(["channel.send:*", "persona.send:a*"], "persona.send")).toBe(false);
  });

  it("takes a label apart, and refuses what is none", () => {
    expect(parseCapability("persona.send:*")).toEqual({ action: "persona.send", scope: "*" });
    expect(parseCapability("net.http")).toEqual({ action: "net.http", scope: undefined });
    for (const label of [
      "",
      "persona",
      ".send",
      "persona.",
      "a.b.c",
      "persona.send:",
      "persona.send:a b",
      "persona.send:**",
    ]) {
      expect(parseCapability(label), label).toBeNull();
    }
  });
});
