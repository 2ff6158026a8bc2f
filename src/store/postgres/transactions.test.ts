import type pg from "pg";
import { describe, expect, it } from "vitest";
import { OUTCOME_UNKNOWN } from "../../tasks/ledger.js";
import type { Command } from "../sql/command.js";
import { PostgresTransactions } from "./transactions.js";

// biome-ignore lint/correctness/useYield: a command that asks nothing of the database
const nothing: Command<string> = function* () {
  return "done";
};

/** A server that loses the connection in the commit, and then says this about transaction 7. */
function afterLoss(status: string | null, server: string, loss: Error) {
  const client = {
    async query(text: string) {
      if (text.startsWith("BEGIN")) return [{}, { rows: [{ number: "7", server: "Monday" }] }];
      throw loss;
    },
    release() {},
  };
  const pool = { connect: async () => client, query: async () => ({ rows: [{ status, server }] }) };
  return new PostgresTransactions(pool as unknown as pg.Pool, "database", () => {}).write(nothing);
}

const connectionLoss = () => new Error("Connection terminated unexpectedly");
const crash = () => Object.assign(new Error("another process has crashed"), { code: "57P02" });

describe("R1 a commit whose answer was lost", () => {
  it("has happened when the server says so", async () => {
    expect(await afterLoss("committed", "Monday", connectionLoss())).toBe("done");
  });

  it.each(["aborted", null])("has not when the server says %s, also after a restart", async (status) => {
    await expect(afterLoss(status, "Tuesday", connectionLoss())).rejects.toMatchObject({
      code: "unavailable",
      reason: "POSTGRES_UNREACHABLE",
    });
  });

  it.each([
    ["restarted", "Tuesday", connectionLoss()],
    ["lost one of its processes", "Monday", crash()],
  ])("is not known when the server has %s: the number may be somebody else's by now", async (_what, server, loss) => {
    await expect(afterLoss("committed", server, loss)).rejects.toMatchObject({
      code: "unavailable",
      retryable: true,
      reason: OUTCOME_UNKNOWN,
    });
  });
});
