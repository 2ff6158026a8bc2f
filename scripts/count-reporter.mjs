import { writeFileSync } from "node:fs";

/**
 * A reporter for Vitest that writes how many tests passed, failed and were skipped to the file NUNCIO_TEST_COUNTS.
 * A file that cannot be loaded and an error outside of any test count as one failure each: with them a run without a
 * failed test is not green.
 */
export default class CountReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) {
      const tests = [...module.children.allTests()];
      for (const test of tests) {
        const { state } = test.result();
        counts[state === "passed" || state === "failed" ? state : "skipped"] += 1;
      }
      if (module.state() === "failed" && !tests.some((test) => test.result().state === "failed")) counts.failed += 1;
    }
    writeFileSync(process.env.NUNCIO_TEST_COUNTS, JSON.stringify(counts));
  }
}
