/*
 * Loaded into a daemon before anything of it: ends the process, as SIGKILL from outside would, right before or right
 * after the commit that `death.ts` names. What was to be written is lost or durable, and nothing of the program runs after.
 */
const { readFileSync } = require("node:fs");
const Database = require("better-sqlite3");

const { death } = JSON.parse(readFileSync(process.env.NUNCIO_TEST_DEATH, "utf8"));

/** The transaction that is open has changed something; and it is the one that the count begins with. */
let wrote = false;
let begins = false;
/** Commits until death; undefined as long as the first of them has not come. */
let left;

const wrapped = Database.prototype.prepare;
Database.prototype.prepare = function prepare(text) {
  const statement = wrapped.call(this, text);
  if (death === null) return statement;
  const { run, all } = statement;
  if (/^\s*COMMIT\b/i.test(text)) {
    statement.run = (...values) => {
      const due = isDue();
      if (due && death.when === "before") die();
      const result = run.apply(statement, values);
      if (due) die();
      return result;
    };
  } else if (/^\s*ROLLBACK\s*$/i.test(text)) {
    statement.run = (...values) => {
      wrote = begins = false;
      return run.apply(statement, values);
    };
  } else if (/^\s*(INSERT|UPDATE|DELETE)\b/i.test(text)) {
    const mayBegin = text.includes(death.statement);
    const note = (changes, values) => {
      if (changes === 0) return;
      wrote = true;
      if (mayBegin && values.some((value) => String(value).includes(death.value))) begins = true;
    };
    statement.run = (values) => {
      const result = run.call(statement, values);
      note(result.changes, values);
      return result;
    };
    statement.all = (values) => {
      const rows = all.call(statement, values);
      note(rows.length, values);
      return rows;
    };
  }
  return statement;
};

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
