import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { MUTANTS, type Mutant } from "./mutants.js";
import type { ProjectResult } from "./vitest.config.js";

/** Of two dozen small test runs on a machine that does other things as well. */
const TIMEOUT_MS = 600_000;

let results: readonly ProjectResult[];

beforeAll(async () => {
  results = await runOnMutants();
}, TIMEOUT_MS);

describe("the invariants of the ledger", () => {
  it("every fault that is tried is one in the sources as they are", () => {
    const stale = MUTANTS.flatMap(({ fault, file, edits }) => {
      const source = readFileSync(new URL(`../../src/${file}`, import.meta.url), "utf8");
      return edits.filter(([find]) => source.split(find).length !== 2).map(([find]) => `${fault}: ${find} in ${file}`);
    });
    expect(stale).toEqual([]);
  });

  it("each has faults that are tried, each fault once", () => {
    expect([...new Set(MUTANTS.map(({ invariant }) => invariant))].sort()).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(new Set(MUTANTS.map(({ fault }) => fault)).size).toBe(MUTANTS.length);
  });

  it("hold in the sources as they are", () => {
    const { passed, failed } = testsOf("unchanged");
    expect(failed).toEqual([]);
    expect(passed.length).toBeGreaterThan(20);
  });

  it.each(MUTANTS)("invariant $invariant is seen to break when $fault", ({ invariant, fault }: Mutant) => {
    const { failed } = testsOf(fault);
    expect(failed.filter((title) => title.includes(`invariant ${invariant} `))).not.toEqual([]);
  });
});

function testsOf(project: string): { passed: string[]; failed: string[] } {
  const modules = results.filter((result) => result.project === project);
  expect(modules.flatMap(({ errors }) => errors)).toEqual([]);
  const tests = modules.flatMap((module) => module.tests);
  const titles = (passed: boolean) => tests.filter((test) => test.passed === passed).map(({ title }) => title);
  return { passed: titles(true), failed: titles(false) };
}

/** One run of vitest in a process of its own, in which each mutant is a project. */
async function runOnMutants(): Promise<ProjectResult[]> {
  const directory = mkdtempSync(join(tmpdir(), "nuncio-mutants-"));
  const file = join(directory, "results.json");
  try {
    const vitest = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url));
    const config = fileURLToPath(new URL("vitest.config.ts", import.meta.url));
    // Without what this run of vitest has put into its own environment.
    const env = { PATH: process.env.PATH, NUNCIO_TEST_RESULTS: file };
    const child = spawn(process.execPath, [vitest, "run", "--config", config], { env, stdio: "pipe" });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += text));
    await once(child, "close");
    try {
      return JSON.parse(readFileSync(file, "utf8"));
    } catch {
      throw new Error(`the run on mutants came to nothing:\n${said}`);
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
}
