import { one, run, type Steps } from "../../sql/command.js";
import { sql } from "../../sql/statement.js";
import type { TaskRow } from "../task-row.js";

/** The lists of an agent: those of one principal, and under this name the one of everything. */
export const EVERYBODY = "";

/** How many tasks have left a list so far. */
export interface Departures {
  number: number;
  /** When the youngest of them had been created, ms. */
  youngest: number;
}

const departed = sql<Departures>(`SELECT number, youngest FROM list_departures
  WHERE tenant = :tenant AND persona = :persona AND principal = :principal`);

const depart = sql(`INSERT INTO list_departures (tenant, persona, principal, number, youngest)
  VALUES (:tenant, :persona, :principal, :number, :youngest)
  ON CONFLICT (tenant, persona, principal) DO UPDATE SET number = list_departures.number + excluded.number,
    youngest = CASE WHEN excluded.youngest > list_departures.youngest THEN excluded.youngest
      ELSE list_departures.youngest END`);

const NONE: Departures = { number: 0, youngest: -1 };

export function* departuresOf(list: { tenant: string; persona: string; principal: string }): Steps<Departures> {
  return (yield* one(departed, { ...list })) ?? NONE;
}

type Listed = Pick<TaskRow, "tenant" | "persona" | "principal" | "created_at" | "unlisted">;

/** Notes that tasks are purged, so that what has been counted before stays of use. */
export const noteDepartures = (rows: readonly Listed[]): Steps<void> =>
  note(
    rows.filter(({ unlisted }) => unlisted === 0),
    1,
  );

/** Notes that a task has come into lists where it would have been counted before. */
export const noteLateEntry = (row: Listed): Steps<void> => note([row], -1);

function* note(rows: readonly Listed[], each: 1 | -1): Steps<void> {
  const lists = new Map<string, Departures & { tenant: string; persona: string; principal: string }>();
  for (const { tenant, persona, principal, created_at } of rows) {
    for (const whose of [principal, EVERYBODY]) {
      const key = `${persona}/${whose}`;
      const list = lists.get(key) ?? { tenant, persona, principal: whose, ...NONE };
      list.number += each;
      list.youngest = Math.max(list.youngest, created_at);
      lists.set(key, list);
    }
  }
  // In one order, so that two commands side by side never wait for each other's rows.
  const inOrder = [...lists].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [, list] of inOrder) yield* run(depart, { ...list });
}
