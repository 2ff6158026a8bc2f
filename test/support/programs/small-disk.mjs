import { createRequire } from "node:module";

// Loaded beside a daemon (`node --import`): lets its SQLite files grow, or not, as the messages of its parent say. To SQLite a
// database that may not grow is a full disk.
const UNLIMITED = 1_073_741_823;
const databases = new Set();

for (const prototype of [betterSqlite3(), process.getBuiltinModule?.("node:sqlite")?.DatabaseSync.prototype]) {
  if (prototype === undefined) continue;
  const { exec } = prototype;
  prototype.exec = function (text) {
    databases.add(this);
    return exec.call(this, text);
  };
}

process.on("message", (message) => {
  for (const database of databases) {
    try {
      // Less than it has already is what it has already.
      database.exec(`PRAGMA max_page_count = ${message === "full" ? 1 : UNLIMITED}`);
    } catch {
      databases.delete(database);
    }
  }
  process.send(message);
});
process.channel.unref();

function betterSqlite3() {
  try {
    return createRequire(import.meta.url)("better-sqlite3").prototype;
  } catch {
    return undefined;
  }
}
