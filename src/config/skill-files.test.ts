import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ConfigError } from "./config-error.js";
import { loadConfig } from "./load-config.js";

describe("skills beside the configuration", () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "nuncio-skills-"));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const skillFile = () => join(directory, "skills", "web-search", "SKILL.md");
  async function load(skill: string | Buffer, personas = "[{ name: a, runtime: scripted, skills: [web-search] }]") {
    mkdirSync(dirname(skillFile()), { recursive: true });
    writeFileSync(skillFile(), skill);
    const config = join(directory, "nuncio.yaml");
    writeFileSync(config, `personas: ${personas}\n`);
    return loadConfig(config, { SECRET: "secret" });
  }
  const problemsOf = (skill: string | Buffer) =>
    load(skill).then(
      () => expect.fail("was loaded"),
      (error) => {
        expect(error).toBeInstanceOf(ConfigError);
        return (error as ConfigError).message.split("\n");
      },
    );

  it("X9 are what their front matter says; the rest of the file is not looked at", async () => {
    const { personas, warnings } = await load(
      `---
name: web-search
description: >
  Searches the web,
  and reads what it finds.
license: Apache-2.0
allowed-tools: Bash
metadata:
  version: 3
  tags: [search, web pages]
---
# How to search
---
name: not-this
`,
      "[{ name: a, runtime: scripted, skills: [web-search] }, { name: b, runtime: scripted, skills: [web-search] }]",
    );
    expect(warnings).toEqual([]);
    for (const persona of personas) {
      expect(persona.skills).toEqual([
        {
          name: "web-search",
          description: "Searches the web, and reads what it finds.",
          tags: ["search", "web pages"],
        },
      ]);
    }
  });

  it("X9 tags may be one text; line breaks may be those of Windows", async () => {
    const { personas } = await load(
      '\ufeff---\r\nname: web-search\r\ndescription: d\r\nmetadata: { tags: "search, web,," }\r\n---\r\n',
    );
    expect(personas[0]?.skills[0]?.tags).toEqual(["search", "web"]);
  });

  it("R7 no variable is put into what goes to everybody", async () => {
    const { personas } = await load(["---", "name: web-search", `description: is $${"{SECRET}"}`, "---"].join("\n"));
    expect(personas[0]?.skills[0]?.description).toBe(`is $${"{SECRET}"}`);
  });

  it.each([
    ["no front matter", "# Searches\n", "1:1: has no front matter"],
    ["front matter that does not end", "---\nname: web-search\ndescription: d\n", "1:1: has no front matter"],
    ["front matter further down", "text\n---\nname: web-search\n---\n", "1:1: has no front matter"],
    ["another name", "---\nname: search\ndescription: d\n---\n", '2:7: name: "search" is not the name of the folder'],
    ["no description", "---\nname: web-search\n---\n", "description: is missing"],
    ["a description that is too long", `---\nname: web-search\ndescription: ${"d".repeat(1025)}\n---\n`, "3:14:"],
    ["tags that are none", "---\nname: web-search\ndescription: d\nmetadata: { tags: [1] }\n---\n", "metadata.tags"],
    ["broken YAML", "---\nname: [\n---\n", "SKILL.md:"],
    ["a list", "---\n- a\n---\n", "SKILL.md:"],
    ["nothing", "---\n---\n", "name: is missing"],
  ])("R5 %s: refused, with the place in the file", async (_what, skill, expected) => {
    const problems = await problemsOf(skill);
    expect(problems[0]).toContain(skillFile());
    expect(problems.join("\n")).toContain(expected);
  });

  it("R5 a file that is too large or no text is refused where the skill is named", async () => {
    expect((await problemsOf("x".repeat(256 * 1024 + 1)))[0]).toContain(
      "nuncio.yaml:1:51: personas[0].skills[0]: skills/web-search/SKILL.md is larger than 256 KiB",
    );
    expect((await problemsOf(Buffer.from([0xff, 0xfe])))[0]).toContain("is not UTF-8 text");
  });
});
