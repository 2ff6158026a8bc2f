import type { SealedStore, StoredSeal } from "../../access/sealing/sealed-store.js";
import { all, run, type Steps } from "../sql/command.js";
import type { Database } from "../sql-ledger.js";
import { SEALED_COLUMNS, type SealedColumn } from "./sealed-columns.js";

/** Which column, and which row of it. */
type Place = [column: number, ...key: string[]];

export function sqlSealedStore({ read, write }: Database): SealedStore {
  return {
    walk: ({ after, limit }) =>
      read(function* () {
        const [from, ...key] = after === null ? ([0] as Place) : (JSON.parse(after) as Place);
        for (let at = from; at < SEALED_COLUMNS.length; at++) {
          const column = SEALED_COLUMNS[at] as SealedColumn;
          const rows = yield* page(column, at, at === from ? key : [], limit);
          if (rows.length > 0) return rows;
        }
        return [];
      }),
    replace: ({ seal, sealed }) =>
      write(function* () {
        const [at, ...key] = JSON.parse(seal.place) as Place;
        const { replace } = SEALED_COLUMNS[at] as SealedColumn;
        return (yield* run(replace, { ...paramsOf(key), sealed: seal.sealed, anew: sealed })) > 0;
      }),
  };
}

function* page(column: SealedColumn, at: number, after: readonly string[], limit: number): Steps<StoredSeal[]> {
  const from = after.length > 0 ? after : column.key.map(() => "");
  return (yield* all(column.page, { ...paramsOf(from), limit })).map((row) => {
    const key = column.key.map((name) => row[name] as string);
    const place: Place = [at, ...key];
    return { purpose: column.purpose(key), sealed: row.sealed as string, place: JSON.stringify(place) };
  });
}

const paramsOf = (key: readonly string[]): Record<string, string> =>
  Object.fromEntries(key.map((value, at) => [`key${at}`, value]));
