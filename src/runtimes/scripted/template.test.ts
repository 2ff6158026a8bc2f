import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../shared/json.js";
import { expand, expandForPersona, expandJson, expandJsonForPersona, type TemplateScope } from "./template.js";

const scope = (changes: Partial<TemplateScope> = {}): TemplateScope => ({
  text: "cats",
  data: { n: [1, 2] },
  turn: 2,
  attempt: 3,
  results: new Map<string, JsonValue>([
    ["facts", { task_id: "t1", status: "completed", reply: "purr" }],
    ["late", { task_id: "t2", status: "timeout", message: "no reply" }],
    ["lost", { error: "no such persona" }],
    ["list", [{ name: "writer" }]],
    ["plain", "words"],
    ["answer", { answer: "2024" }],
  ]),
  ...changes,
});

describe("a template", () => {
  it.each([
    ["nothing to fill in", "nothing to fill in"],
    ["{{input.text}}", "cats"],
    ["{{ input.text }} and {{input.text}}", "cats and cats"],
    ["{{input.data}}", '{"n":[1,2]}'],
    ["{{turn}}/{{attempt}}", "2/3"],
    ["{{results.facts}}", "purr"],
    ["{{results.facts.task_id}} {{results.facts.status}} [{{results.facts.error}}]", "t1 completed []"],
    ["[{{results.late}}] {{results.late.status}}: {{results.late.message}}", "[] timeout: no reply"],
    ["[{{results.lost}}] [{{results.lost.task_id}}] {{results.lost.error}}", "[] [] no such persona"],
    ["{{results.list}}", '[{"name":"writer"}]'],
    ["{{results.plain}} {{results.answer}}", "words 2024"],
    ["{ {input.text} } {{}", "{ {input.text} } {{}"],
  ])("%s becomes %s", (template, text) => {
    expect(expand(template, scope())).toBe(text);
  });

  it("E17 shows a persona the words of strangers fenced, whichever field of them is named", () => {
    const results = new Map([["page", { status: 200, body: "words", x: "y" }]]);
    const strange = scope({ results, outside: new Map([["page", "[fenced]"]]) });
    const template = "{{results.page}} {{results.page.body}} {{results.page.x}} {{results.page.status}} {{input.text}}";
    expect(expandForPersona(template, strange)).toBe("[fenced] [fenced] [fenced] 200 cats");
    expect(expandJsonForPersona({ a: ["{{results.page.body}}"] }, strange)).toEqual({ a: ["[fenced]"] });
    expect(expand(template, strange)).toBe("words words y 200 cats");
  });

  it("does not look again at what it filled in", () => {
    expect(expand("{{input.text}}", scope({ text: "{{turn}} $& $1 {{results.none}}" }))).toBe(
      "{{turn}} $& $1 {{results.none}}",
    );
    expect(expand("{{input.text}}turn}}", scope({ text: "{{" }))).toBe("{{turn}}");
  });

  it("without a data part input.data is empty", () => {
    expect(expand("[{{input.data}}]", scope({ data: undefined }))).toBe("[]");
  });

  it.each([
    "{{input}}",
    "{{input.file}}",
    "{{}}",
    "{{results}}",
    "{{results.none}}",
    "{{results.facts.secret}}",
    "{{results.facts.task_id.x}}",
    "{{results.facts.__proto__}}",
    "{{results.__proto__}}",
    "{{constructor}}",
  ])("an unknown name fails: %s", (template) => {
    expect(() => expand(template, scope())).toThrow(/^template \{\{/);
  });

  it("is bounded in what it grows to", () => {
    const text = "x".repeat(1024 * 1024);
    expect(() => expand("{{input.text}}".repeat(5), scope({ text }))).toThrow(/grows over/);
    for (const piece of ["{{input.text}}", "- {{input.text}}", { a: "{{input.text}}" }]) {
      expect(() => expandJson(new Array(1000).fill(piece), scope({ text }))).toThrow(/grows over/);
    }
  });

  it("in JSON, a placeholder alone passes the value on; others become text", () => {
    expect(
      expandJson(
        { a: "{{input.data}}", b: ["{{turn}}", "turn {{turn}}"], c: 1, d: null, e: "{{results.facts}}" },
        scope(),
      ),
    ).toEqual({ a: { n: [1, 2] }, b: [2, "turn 2"], c: 1, d: null, e: "purr" });
  });
});
