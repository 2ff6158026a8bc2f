import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parseConfig } from "./load-config.js";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "nuncio-profiles-"));
  writeFileSync(join(directory, "audit.md"), "Audit it.\n");
  writeFileSync(join(directory, "empty.md"), " \n");
});
afterAll(() => rmSync(directory, { recursive: true }));

const load = (profiles: string) => parseConfig(`profiles: [${profiles}]\n`, join(directory, "nuncio.yaml"), {});

it("P7 the operator's own profiles are text, or a file beside the configuration", async () => {
  const { config } = await load(
    "{ name: acme/auditor, kind: analysis, textFile: audit.md }, { name: acme/fixer, kind: build, text: Mend it. }",
  );
  expect(config.profiles).toEqual([
    { name: "acme/auditor", kind: "analysis", text: "Audit it.\n" },
    { name: "acme/fixer", kind: "build", text: "Mend it." },
  ]);
  expect((await parseConfig("", join(directory, "nuncio.yaml"), {})).config.profiles).toEqual([]);
});

it.each([
  ["{ name: auditor, kind: analysis, text: x }", /profiles\[0\]\.name: "auditor".*slash between them/],
  ["{ name: nuncio/reviewer, kind: build, text: x }", /"nuncio\/reviewer" is a name of the built-in profiles/],
  ["{ name: a/b, kind: review, text: x }", /profiles\[0\]\.kind: "review".*use analysis, build or test/],
  ["{ name: a/b, kind: test }", /either text or textFile/],
  ["{ name: a/b, kind: test, text: x, textFile: audit.md }", /either text or textFile/],
  ["{ name: a/b, kind: test, textFile: absent.md }", /textFile: "absent.md" does not exist; .*looked for/],
  ["{ name: a/b, kind: test, textFile: empty.md }", /textFile: is empty/],
  ['{ name: a/b, kind: test, text: "\\e[2J" }', /control characters/],
  [
    "{ name: a/b, kind: test, text: x }, { name: a/b, kind: test, text: y }",
    /profiles\[1\]\.name: "a\/b" is there already/,
  ],
])("P7 refuses the profile %s", async (profile, problem) => {
  await expect(load(profile)).rejects.toThrow(problem);
});
