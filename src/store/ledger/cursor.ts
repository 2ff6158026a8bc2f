import { invalidArgument } from "../../shared/errors.js";

/*
 * Lists go from new to old by id, which sorts by creation and never changes: a walk shows every task that it began
 * with exactly once, whatever happens to the tasks meanwhile.
 */
export const encodeCursor = (lastId: string): string => Buffer.from(lastId).toString("base64url");

export function decodeCursor(cursor: string): string {
  const id = Buffer.from(cursor, "base64url").toString("utf8");
  if (/^[0-9a-f-]{36}$/.test(id)) return id;
  throw invalidArgument("cursor", "the cursor is not one that a list has returned", {
    hint: "leave the cursor out to start from the newest",
  });
}
