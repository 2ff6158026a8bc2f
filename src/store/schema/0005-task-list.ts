/**
 * Lists of an agent's tasks by the time of their status, for one caller and for those who see all: the columns that are in
 * an index change with what is told, so that progress within a status leaves the indexes alone. The time of creation
 * stands behind the key for counting.
 *
 * Before there were lists, nobody noted who had been answered by a Message: what is there already is listed.
 */
export const taskList = `
ALTER TABLE tasks ADD COLUMN status_at BIGINT NOT NULL DEFAULT 0;
-- An attempt has run.
ALTER TABLE tasks ADD COLUMN started INTEGER NOT NULL DEFAULT 0;
-- Its caller is given a Message, and shown no task.
ALTER TABLE tasks ADD COLUMN unlisted INTEGER NOT NULL DEFAULT 0;

UPDATE tasks SET
  status_at = CASE WHEN state IN ('completed', 'failed', 'rejected', 'canceled') AND updated_at > created_at THEN updated_at
    ELSE COALESCE((SELECT CASE WHEN e.at > tasks.created_at THEN e.at END FROM events e
      WHERE e.tenant = tasks.tenant AND e.task_id = tasks.id AND e.type = 'status' ORDER BY e.seq DESC LIMIT 1), created_at) END,
  started = CASE WHEN attempt > 0 AND EXISTS (SELECT 1 FROM events e
      WHERE e.tenant = tasks.tenant AND e.task_id = tasks.id AND e.type = 'status'
        AND e.body LIKE '{"type":"status","state":"processing"%') THEN 1 ELSE 0 END;

CREATE INDEX tasks_listed_own ON tasks (tenant, persona, principal, status_at, id, created_at) WHERE unlisted = 0;
CREATE INDEX tasks_listed_all ON tasks (tenant, persona, status_at, id, created_at) WHERE unlisted = 0;
-- What has not completed is what is mostly asked for by its state, and little beside what has. In words that no other
-- statement uses: a database that likes a small index must not take it for anything else.
CREATE INDEX tasks_listed_open ON tasks (tenant, persona, status_at, id, principal) WHERE state <> 'completed' AND unlisted < 1;

-- How many tasks have left the lists of an agent: those of a principal, and for the principal '' those of all.
CREATE TABLE list_departures (
  tenant    TEXT   NOT NULL,
  persona   TEXT   NOT NULL,
  principal TEXT   NOT NULL,
  number    BIGINT NOT NULL,
  -- When the youngest of them had been created.
  youngest  BIGINT NOT NULL,
  PRIMARY KEY (tenant, persona, principal)
) WITHOUT ROWID;
`;
