import { createHash } from "node:crypto";
import { constants, copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openSqlite } from "../dist/store/sqlite/open-sqlite.js";
import { seedStatements } from "./seed.mjs";

const Database = createRequire(import.meta.url)("better-sqlite3");
const CACHE = fileURLToPath(new URL("../node_modules/.cache/nuncio-bench", import.meta.url));

/**
 * A ledger of `count` tasks, copied to `file`. It is made once and kept, as long as neither the schema nor the way it is
 * filled changes. 1,000,000 tasks take half a minute to make, and 2 GB of disk, twice while the bench runs.
 */
export async function ledgerOf(count, file, say, kind = {}) {
  mkdirSync(CACHE, { recursive: true });
  const empty = join(CACHE, `empty-${process.pid}.db`);
  const kept = join(CACHE, `${await emptyLedger(empty, count, kind)}.db`);
  if (existsSync(kept)) rmSync(empty);
  else {
    const startedAt = performance.now();
    fill(empty, count, kind);
    // One that was made for another schema is of no use any more.
    for (const name of readdirSync(CACHE)) if (name.startsWith(`${prefix(count, kind)}-`)) rmSync(join(CACHE, name));
    renameSync(empty, kept);
    say(`made a ledger of ${count} tasks in ${Math.round((performance.now() - startedAt) / 1000)} s: ${kept}`);
  }
  copyFileSync(kept, file, constants.COPYFILE_FICLONE);
}

/** Makes the file as a daemon would; returns a name for what it will hold. */
async function emptyLedger(file, count, kind) {
  rmSync(file, { force: true });
  await openSqlite(file).close();
  const db = new Database(file);
  const schema = db.prepare("SELECT sql FROM sqlite_master ORDER BY name").pluck().all();
  db.close();
  const hash = createHash("sha256").update(JSON.stringify([schema, seedStatements(count, kind)]));
  return `${prefix(count, kind)}-${hash.digest("hex").slice(0, 16)}`;
}

const prefix = (count, { oneCaller = false }) => (oneCaller ? `${count}-of-one` : `${count}`);

/** Tables first, then their indexes: several times faster, and not less compact than a ledger that has grown. */
function fill(file, count, kind) {
  const db = new Database(file);
  try {
    db.pragma("journal_mode = OFF");
    db.pragma("synchronous = OFF");
    db.pragma("cache_size = -500000");
    db.pragma("temp_store = MEMORY");
    const indexes = db.prepare("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL").all();
    for (const { name } of indexes) db.exec(`DROP INDEX ${name}`);
    db.exec("BEGIN");
    for (const statement of seedStatements(count, kind)) db.exec(statement);
    for (const { sql } of indexes) db.exec(sql);
    db.exec("COMMIT");
    db.pragma("journal_mode = WAL");
  } finally {
    db.close();
  }
}
