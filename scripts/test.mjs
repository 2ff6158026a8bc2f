import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "./build.mjs";
import { install } from "./install.mjs";
import { installPostgres } from "./install-postgres.mjs";
import { main, ROOT, StepFailed, say, step } from "./step.mjs";

/**
 * `npm test`: installs what is missing, builds, runs every test (or those named on the command line), and closes with
 * one line, `N passed, N failed` and `, N skipped` where some were.
 */
await main(async () => {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  let broken;
  try {
    await install();
    await installPostgres();
    await build();
    await runVitest(process.argv.slice(2), counts);
  } catch (error) {
    broken = error instanceof StepFailed ? error.message : error;
  }
  if (counts.passed + counts.failed === 0) broken ??= "No test was run: that is a failure, too.";
  if (broken !== undefined && counts.failed === 0) say(broken);
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : "";
  process.stdout.write(`${counts.passed} passed, ${counts.failed} failed${skipped}\n`);
  return broken === undefined && counts.failed === 0 ? 0 : 1;
});

async function runVitest(args, counts) {
  const folder = mkdtempSync(join(tmpdir(), "nuncio-test-"));
  const countsFile = join(folder, "counts.json");
  const vitest = join(ROOT, "node_modules", "vitest", "vitest.mjs");
  const reporters = ["--reporter=default", `--reporter=${join(ROOT, "scripts", "count-reporter.mjs")}`];
  try {
    await step(process.execPath, [vitest, "run", ...reporters, ...args], {
      minutes: 30,
      stdout: 1,
      env: { NUNCIO_TEST_COUNTS: countsFile },
    });
  } finally {
    try {
      Object.assign(counts, JSON.parse(readFileSync(countsFile, "utf8")));
    } catch {
      // Vitest ended before it could count: its exit code has said so already.
    }
    rmSync(folder, { recursive: true, force: true });
  }
}
