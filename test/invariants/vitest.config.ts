import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { MUTANTS, type Mutant } from "./mutants.js";

/*
 * The suites of the ledger, once as they are and once on each mutant. A mutant exists only in what vitest loads: the
 * sources on disk are never touched. Only tests that name an invariant are run.
 */

const root = fileURLToPath(new URL("../..", import.meta.url));

/** What came of one test file in one project. */
export interface ProjectResult {
  /** The fault of its mutant, or `unchanged`. */
  project: string;
  /** Why the file could not be run. */
  errors: string[];
  tests: { title: string; passed: boolean }[];
}

const mutating = ({ file, edits }: Mutant) => ({
  name: "mutating",
  enforce: "pre" as const,
  transform(code: string, id: string) {
    if (id !== `${root}src/${file}`) return undefined;
    return edits.reduce((text, [find, replace]) => text.replace(find, () => replace), code);
  },
});

const project = (name: string, files: readonly string[], plugins: ReturnType<typeof mutating>[]) => ({
  plugins,
  test: { name, include: files.map((file) => `src/${file}`), testTimeout: 60_000 },
});

const files = [...new Set(MUTANTS.flatMap(({ noticedBy }) => noticedBy))];

export default defineConfig({
  root,
  test: {
    projects: [
      project("unchanged", files, []),
      ...MUTANTS.map((mutant) => project(mutant.fault, mutant.noticedBy, [mutating(mutant)])),
    ],
    // A ledger in memory is quicker than one in a file, and what differs has tests of its own.
    testNamePattern: /^(?!.*the ledger in a SQLite file ).*invariant \d/,
    pool: "threads",
    maxWorkers: 2,
    reporters: [
      {
        onTestRunEnd(modules) {
          const results = modules.map(
            (module): ProjectResult => ({
              project: module.project.name,
              errors: module.errors().map(({ message }) => message),
              tests: [...module.children.allTests()]
                .filter((test) => test.result().state !== "skipped")
                .map((test) => ({ title: test.fullName, passed: test.result().state === "passed" })),
            }),
          );
          writeFileSync(process.env.NUNCIO_TEST_RESULTS as string, JSON.stringify(results));
        },
      },
    ],
  },
});
