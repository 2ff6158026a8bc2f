import { describe, expect, it } from "vitest";
import { ConfigError } from "./config-error.js";
import { parsePlan } from "./parse-plan.js";

const PLAN = `schema: 1
title: Look at it
steps:
  - id: read
    instruction: Read it.
    files: [src/app.ts]
    persona: analyst
  - { id: judge, instruction: Judge it., needs: [read] }
checks:
  - { name: test, command: npm, args: [test] }
limits: { invocations: 3, token_units: null }
ignore: ["*.log"]
`;

function problemsOf(text: string): string[] {
  try {
    parsePlan(text, "P.yaml");
  } catch (error) {
    if (error instanceof ConfigError)
      return error.problems.map((one) => `${one.line}:${one.column} ${one.path}: ${one.message}`);
    throw error;
  }
  return [];
}

describe("plan files", () => {
  it("P7 are taken with their defaults", () => {
    expect(parsePlan(PLAN, "P.yaml")).toEqual({
      plan: {
        title: "Look at it",
        steps: [
          { id: "read", instruction: "Read it.", files: ["src/app.ts"], needs: [], persona: "analyst" },
          { id: "judge", instruction: "Judge it.", files: [], needs: ["read"] },
        ],
        checks: [{ name: "test", command: "npm", args: ["test"], timeoutMs: 300_000 }],
        limits: { invocations: 3, tokenUnits: null },
      },
      ignore: ["*.log"],
    });
  });

  it.each<[what: string, from: string | RegExp, to: string, problem: RegExp]>([
    ["another schema", "schema: 1", "schema: 2", /^1:9 schema: 2 .*use 1/],
    ["no schema", "schema: 1\n", "", /schema: is missing/],
    ["an unknown key", "title:", "heading:", /^2:1 heading: is not a key here; use one of schema, title/m],
    ["no checks", /checks:\n.*\n/, "", /checks: is missing; .*at least one check/],
    ["an empty list of checks", /checks:\n.*\n/, "checks: []\n", /^9:9 checks: .*at least one check/],
    ["no limits", /limits:.*\n/, "", /limits: is missing/],
    ["tokens that nobody has said anything of", ", token_units: null", "", /limits.token_units: is missing; .*null/],
    ["tokens that are no number", "token_units: null", "token_units: many", /limits.token_units: "many"/],
    ["no invocations", "invocations: 3", "invocations: 0", /limits.invocations: 0 is out of bounds/],
    ["a step twice", "id: judge", "id: read", /^8:11 steps\[1\].id: "read" is there already/],
    ["a need that is no step", "needs: [read]", "needs: [write]", /steps\[1\].needs\[0\]: "write" is no step/],
    ["a step that needs itself", "needs: [read]", "needs: [judge]", /steps\[1\].needs\[0\]: judge needs judge itself/],
    ["a circle", "files: [src/app.ts]", "needs: [judge]", /steps\[0\].needs\[0\]: judge needs read itself/],
    ["a path that leads out", "src/app.ts", "../app.ts", /steps\[0\].files\[0\]: .*inside the workspace/],
    ["an absolute path", "src/app.ts", "/etc/passwd", /steps\[0\].files\[0\]: .*inside the workspace/],
    ["a path with a line break", "src/app.ts", '"a\\nb"', /steps\[0\].files\[0\]: .*one line/],
    ["half a character", "Read it.", '"\\ud800"', /steps\[0\].instruction: .*control characters/],
    ["a title that moves the cursor", "Look at it", '"\\e[2J"', /title: .*one line/],
    ["what no program can be given", "args: [test]", 'args: ["\\0"]', /checks\[0\].args\[0\]: .*no program/],
    [
      "two checks of one name",
      "checks:",
      'checks:\n  - { name: test, command: "true" }',
      /checks\[1\].name: "test" is there/,
    ],
    ["a check without an end", "args: [test]", "timeoutMs: 9999999", /checks\[0\].timeoutMs: 9999999 is out of bounds/],
    ["no YAML", "steps:", "steps: {", /^\d+:\d+ : /],
  ])("P7 refuse %s, and say where", (_what, from, to, problem) => {
    const problems = problemsOf(PLAN.replace(from, to));
    expect(problems.join("\n")).toMatch(problem);
  });

  it("P7 put in no variables: what stands there is what is meant", () => {
    expect(parsePlan(PLAN.replace("Read it.", '"${HOME}"'), "P.yaml").plan.steps[0]?.instruction).toBe("${HOME}");
  });

  it("P7 are bounded", () => {
    expect(problemsOf(`title: ${"x".repeat(600_000)}`)[0]).toMatch(/larger than 512 KiB/);
    expect(problemsOf(`a: ${"[".repeat(100)}`)[0]).toMatch(/deeper than/);
  });
});
