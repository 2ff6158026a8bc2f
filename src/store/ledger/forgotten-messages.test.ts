import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newId } from "../../shared/ids.js";
import { type Command, run, type Steps } from "../sql/command.js";
import { sql } from "../sql/statement.js";
import type { Database } from "../sql-ledger.js";
import { openSqlite } from "../sqlite/open-sqlite.js";
import { takeMessageId } from "./message-ids.js";
import { forgetMessages } from "./retention/forget-messages.js";

const KEY = { tenant: "default", persona: "writer", principal: "user:ann", messageId: "m-1" };
const OLD = 1000;
const NOW = 2000;

const drop = sql("DELETE FROM submissions WHERE message_id = :messageId");
const taskIds = sql<{ task_id: string }>("SELECT task_id FROM submissions WHERE message_id = :messageId");

let database: Database;
beforeEach(() => {
  database = openSqlite(":memory:");
});
afterEach(() => database.close());

const take = (taskId: string, now: number) => takeMessageId({ ...KEY, bodyHash: "same", taskId, now });
const dropKey = () => run(drop, { messageId: KEY.messageId });
const kept = () =>
  database.read(function* () {
    return (yield { statement: taskIds, params: { messageId: KEY.messageId }, wantsRows: true }).map(
      ({ task_id }) => task_id,
    );
  });

/** A command between whose first two statements others commit something, as they do on PostgreSQL. */
function interrupted<T>(command: Command<T>, others: () => Steps<unknown>): Command<T> {
  return function* (effects) {
    const steps = command(effects);
    let step = steps.next();
    for (let statements = 1; !step.done; statements++) {
      const rows = yield step.value;
      if (statements === 2) yield* others();
      step = steps.next(rows);
    }
    return step.value;
  };
}

/** `forgetMessages` asks for the tenant first, `takeMessageId` is here behind another statement. */
describe("a message is forgotten while somebody sends it again", () => {
  it("E11 X7 on another node, and then this one does not forget the new task of it", async () => {
    await database.write(() => take("purged", OLD));
    const sentAgain = newId();
    const forget = interrupted(forgetMessages({ after: null, before: OLD, limit: 10 }), function* () {
      yield* dropKey();
      yield* take(sentAgain, NOW);
    });
    expect(await database.write(forget)).toMatchObject({ forgotten: 0 });
    expect(await kept()).toEqual([sentAgain]);
  });

  it("E11 X7 just after it was found to be known, and then it is taken", async () => {
    await database.write(() => take("purged", OLD));
    const send = interrupted<string | null>(function* () {
      yield* run(drop, { messageId: "another" });
      return yield* take("new", NOW);
    }, dropKey);
    expect(await database.write(send)).toBeNull();
    expect(await kept()).toEqual(["new"]);
  });
});
