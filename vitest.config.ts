import { defineConfig } from "vitest/config";

/**
 * Two rings: `unit` is beside the code it proves and touches no other process; `daemon` (test/) starts real daemons and
 * child processes. The limits are for tests that hang, not for slow ones: they hold on a machine that is busy otherwise.
 */
export default defineConfig({
  test: {
    projects: [
      { test: { name: "unit", include: ["src/**/*.test.ts", "scripts/*.test.ts"], testTimeout: 60_000 } },
      { test: { name: "daemon", include: ["test/**/*.test.ts"], testTimeout: 120_000, hookTimeout: 60_000 } },
    ],
    // Costs nothing where no test asks for it.
    globalSetup: ["test/support/postgres/global-setup.ts"],
    // A test that hangs must say which one it was, not eat the time of all.
    teardownTimeout: 10_000,
    maxWorkers: 2,
  },
});
