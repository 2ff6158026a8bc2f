/*
 * Loaded into a daemon before anything of it: ends the process, as SIGKILL from outside would, right before or right
 * after the commit that `death.ts` names. What was to be written is lost or durable, and nothing of the program runs after.
 */
const { readFileSync } = require("node:fs");

const { death } = JSON.parse(readFileSync(process.env.NUNCIO_TEST_DEATH, "utf8"));

/** The transaction that is open has changed something; and it is the one that the count begins with. */
let wrote = false;
let begins = false;
/** Commits until death; undefined as long as the first of them has not come. */
let left;

const { prototype } = databaseClass();
const prepare = prototype.prepare;
if (death !== null) {
  prototype.prepare = function (text) {
    return watched(prepare.call(this, text), text);
  };
}

/** Of the driver that the daemon uses on this Node. */
function databaseClass() {
  const builtIn = process.getBuiltinModule?.("node:sqlite");
  return builtIn === undefined ? require("better-sqlite3") : builtIn.DatabaseSync;
}

function watched(statement, text) {
  const { run, all } = statement;
  if (/^COMMIT\b/.test(text)) {
    statement.run = (...values) => {
      const due = isDue();
      if (due && death.when === "before") die();
      const result = run.apply(statement, values);
      if (due) die();
      return result;
    };
  } else if (/^ROLLBACK$/.test(text)) {
    statement.run = (...values) => {
      wrote = begins = false;
      return run.apply(statement, values);
    };
  } else if (/\b(INSERT INTO|UPDATE \w+ SET|UPDATE tasks|DELETE FROM)\b/.test(text)) {
    const mayBegin = text.includes(death.statement);
    const note = (changes, values) => {
      if (changes === 0) return;
      wrote = true;
      if (mayBegin && values.flat().some((value) => String(value).includes(death.value))) begins = true;
    };
    statement.run = (...values) => {
      const result = run.apply(statement, values);
      note(Number(result.changes), values);
      return result;
    };
    statement.all = (...values) => {
      const rows = all.apply(statement, values);
      note(rows.length, values);
      return rows;
    };
  }
  return statement;
}

function isDue() {
  if (begins) left ??= death.later ?? 0;
  const due = wrote && left === 0;
  if (wrote && left > 0) left -= 1;
  wrote = begins = false;
  return due;
}

function die() {
  process.kill(process.pid, "SIGKILL");
}
