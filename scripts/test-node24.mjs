import { join } from "node:path";
import { build } from "./build.mjs";
import { install } from "./install.mjs";
import { installPostgres } from "./install-postgres.mjs";
import { fetchNode24 } from "./node24/fetch.mjs";
import { main, ROOT, say, step } from "./step.mjs";

/**
 * `npm run test:node24`: runs every test, or those that are named on the command line, with Node 24 and the SQLite that
 * comes with it. In that run better-sqlite3 cannot be loaded, neither by the tests nor by the daemons: nothing needs it
 * there.
 */
await main(async () => {
  await install();
  await installPostgres();
  await build();
  const node = await fetchNode24();
  const vitest = join(ROOT, "node_modules", "vitest", "vitest.mjs");
  say(`Testing with ${node} …`);
  await step(node, [vitest, "run", ...process.argv.slice(2)], {
    minutes: 30,
    stdout: 1,
    env: { NODE_OPTIONS: `--import=${new URL("node24/refuse-better-sqlite3.mjs", import.meta.url)}` },
  });
  return 0;
});
