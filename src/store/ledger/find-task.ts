import { notFound } from "../../shared/errors.js";
import { one, type Steps } from "../sql/command.js";
import { sql } from "../sql/statement.js";
import { TASK_COLUMNS, type TaskRow } from "./task-row.js";

const byId = sql<TaskRow>(`SELECT ${TASK_COLUMNS} FROM tasks WHERE tenant = :tenant AND id = :id`);

/** Nothing else changes the row until the transaction ends, not even the attempt that runs. */
const held = sql<TaskRow>(`SELECT ${TASK_COLUMNS} FROM tasks WHERE tenant = :tenant AND id = :id FOR UPDATE`);

export const holdTask = (tenant: string, id: string): Steps<TaskRow | undefined> => one(held, { tenant, id });

export const findTask = (tenant: string, id: string): Steps<TaskRow | undefined> => one(byId, { tenant, id });

export function* requireTask(tenant: string, id: string): Steps<TaskRow> {
  const row = yield* findTask(tenant, id);
  if (row === undefined) throw notFound("task", id);
  return row;
}
