import { join } from "node:path";
import { install } from "./install.mjs";
import { installPostgres } from "./install-postgres.mjs";
import { main, ROOT, say, step } from "./step.mjs";

/** `npm run schema:dump`: writes docs/schema/, which a test compares with what the migrations make. */
await main(async () => {
  await install();
  await installPostgres();
  const vitest = join(ROOT, "node_modules", "vitest", "vitest.mjs");
  await step(process.execPath, [vitest, "run", "test/schema.test.ts"], {
    minutes: 5,
    env: { NUNCIO_WRITE_SCHEMA: "1" },
  });
  say("Wrote docs/schema/sqlite.sql and docs/schema/postgres.sql.");
  return 0;
});
