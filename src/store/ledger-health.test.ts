import { describe, expect, it } from "vitest";
import { NuncioError } from "../shared/errors.js";
import type { TaskChange } from "../tasks/ledger.js";
import { LedgerHealth } from "./ledger-health.js";
import type { Command } from "./sql/command.js";
import type { Database } from "./sql-ledger.js";

const full = () => new NuncioError("unavailable", "the disk that holds the ledger is full", { reason: "SQLITE_FULL" });
const nothing: Command<void> = function* () {};

/** A database of which the test says how it fares. */
function house() {
  const listeners: ((changes: readonly TaskChange[]) => void)[] = [];
  const state: { error: unknown; commands: Command<unknown>[] } = { error: undefined, commands: [] };
  const answer = async (command: Command<unknown>) => {
    state.commands.push(command);
    if (state.error !== undefined) throw state.error;
    return undefined as never;
  };
  const database = {
    write: answer,
    read: answer,
    onCommit: (listener: (typeof listeners)[0]) => {
      listeners.push(listener);
      return () => {};
    },
  } as unknown as Database;
  const health = new LedgerHealth(database);
  return { health, state, commit: () => listeners.forEach((tell) => void tell([])) };
}

describe("R3 the health of the ledger", () => {
  it("is not asked for while all goes well", async () => {
    const { health, state } = house();
    await health.database.write(nothing);
    expect(await health.check()).toEqual({ available: true });
    expect(state.commands).toEqual([nothing]);
  });

  it.each(["write", "read"] as const)(
    "tells that a %s failed, until the database can be written again",
    async (how) => {
      const { health, state } = house();
      state.error = full();
      await expect(health.database[how](nothing)).rejects.toBe(state.error);
      expect(await health.check()).toEqual({
        available: false,
        reason: "the disk that holds the ledger is full",
        forMs: expect.any(Number),
      });
      state.error = undefined;
      expect(await health.check()).toEqual({ available: true });
    },
  );

  it("is not restored by a command that wrote nothing, but by the next commit", async () => {
    const { health, state, commit } = house();
    state.error = full();
    await health.database.write(nothing).catch(() => {});
    state.error = undefined;
    await health.database.write(nothing);
    state.error = full();
    expect(await health.check()).toMatchObject({ available: false });
    commit();
    expect(await health.check()).toEqual({ available: true });
  });

  it.each([
    ["a refusal", new NuncioError("conflict", "another body")],
    ["one task that cannot be read", new NuncioError("unavailable", "too new", { reason: "FORMAT_TOO_NEW" })],
    ["a fault of ours", new Error("oops")],
  ])("does not suffer from %s", async (_what, error) => {
    const { health, state } = house();
    state.error = error;
    await health.database.write(nothing).catch(() => {});
    expect(await health.check()).toEqual({ available: true });
    expect(state.commands).toHaveLength(1);
  });
});
