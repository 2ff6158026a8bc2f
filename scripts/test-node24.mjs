import { join } from "node:path";
import { build } from "./build.mjs";
import { install } from "./install.mjs";
import { fetchNode24 } from "./node24/fetch.mjs";
import { main, ROOT, say, step } from "./step.mjs";

/** What stands on the driver, and what starts daemons on it. */
const SUITES = ["src/store", "test/store", "test/schema.test.ts", "test/daemon", "test/cli", "faults"];

/**
 * `npm run test:node24`: runs the ledger's contract suites, the tests of the store, and those that start, kill and
 * restart daemons, or the tests that are named on the command line, with Node 24 and the SQLite that comes with it. In
 * that run better-sqlite3 cannot be loaded, neither by the tests nor by the daemons: nothing needs it there.
 */
await main(async () => {
  await install();
  await build();
  const node = await fetchNode24();
  const named = process.argv.slice(2);
  const vitest = join(ROOT, "node_modules", "vitest", "vitest.mjs");
  say(`Testing with ${node} …`);
  await step(node, [vitest, "run", ...(named.length > 0 ? named : SUITES)], {
    minutes: 30,
    stdout: 1,
    env: { NODE_OPTIONS: `--import=${new URL("node24/refuse-better-sqlite3.mjs", import.meta.url)}` },
  });
  return 0;
});
