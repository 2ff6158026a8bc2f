import type { Json } from "../shapes/check.js";
import type { Ask } from "../words.js";

/** Spells wrongly what a case wants to be wrong. @param pathOf the path in this spelling for the one in 1.0 */
export function edited(params: Json, { without = [], replace = {} }: Ask, pathOf = (path: string) => path): Json {
  for (const path of without) at(params, pathOf(path), (parent, key) => delete parent[key]);
  for (const [path, value] of Object.entries(replace)) {
    at(params, pathOf(path), (parent, key) => {
      parent[key] = value;
    });
  }
  return params;
}

function at(params: Json, path: string, change: (parent: Json, key: string) => void): void {
  const keys = path.split(".");
  const last = keys.pop() as string;
  let parent = params;
  for (const key of keys) {
    parent[key] ??= {};
    parent = parent[key] as Json;
  }
  change(parent, last);
}

/** Without the fields that are not set. */
export const set = (fields: Json): Json =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** Absent when nothing in it is set. */
export function setOrAbsent(fields: Json): Json | undefined {
  const some = set(fields);
  return Object.keys(some).length === 0 ? undefined : some;
}
