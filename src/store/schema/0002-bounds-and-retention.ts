/**
 * Everything that is pending stands in the index that claims read, what is blocked behind its own lane included: counting
 * what a queue holds walks the same entries. Blocked ones sort after the others, so that a claim never passes them.
 */
export const boundsAndRetention = `
DROP INDEX tasks_runnable;
CREATE INDEX tasks_runnable ON tasks (tenant, persona, blocked, run_at, id) WHERE state = 'pending';

-- Its artifact events are gone: what it made stands in the row alone.
ALTER TABLE tasks ADD COLUMN compacted INTEGER NOT NULL DEFAULT 0;

-- What is to be known of the ledger as a whole.
CREATE TABLE meta (
  key   TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
);
`;
