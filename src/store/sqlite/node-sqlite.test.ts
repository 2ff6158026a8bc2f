import { expect, it, vi } from "vitest";
import { type NodeSqlite, nodeSqlite, openNodeSqlite } from "./node-sqlite.js";
import { fromSqlite } from "./sqlite-errors.js";

/** A database that refuses as Node's does: with a number. */
function refusing(errcode: number): NodeSqlite {
  const refuse = () => {
    throw Object.assign(new Error("as SQLite says it"), { code: "ERR_SQLITE_ERROR", errcode });
  };
  return {
    DatabaseSync: class {
      prepare = refuse;
      exec = refuse;
      close() {}
    },
  };
}

it.each([
  [13, "SQLITE_FULL", "unavailable", "SQLITE_FULL"],
  [8, "SQLITE_READONLY", "unavailable", "SQLITE_READONLY"],
  [1032, "SQLITE_READONLY_1032", "unavailable", "SQLITE_READONLY"],
  [778, "SQLITE_IOERR_778", "unavailable", "SQLITE_IOERR"],
  [5, "SQLITE_BUSY", "unavailable", "SQLITE_BUSY"],
  [517, "SQLITE_BUSY_517", "unavailable", "SQLITE_BUSY"],
  [14, "SQLITE_CANTOPEN", "unavailable", "SQLITE_CANTOPEN"],
  [1555, "SQLITE_CONSTRAINT_1555", "internal", undefined],
  [200, "SQLITE_ERROR", "internal", undefined],
])("X16 R3 an error with the number %i is %s, as with the other driver", (errcode, code, kind, reason) => {
  const driver = openNodeSqlite(refusing(errcode), "some.db", {});
  for (const call of [() => driver.exec("COMMIT"), () => driver.prepare("SELECT 1")]) {
    const error = thrownBy(call);
    expect(error).toMatchObject({ code, message: "as SQLite says it" });
    expect(fromSqlite(error)).toMatchObject({ code: kind, reason });
  }
});

it("X16 finds out whether a transaction is open where Node does not say", () => {
  let open = false;
  const driver = openNodeSqlite(
    {
      DatabaseSync: class {
        prepare(): never {
          throw new Error("not needed");
        }
        exec(text: string) {
          if (text === "BEGIN" && open) throw new Error("cannot start a transaction within a transaction");
          open = text === "BEGIN";
        }
        close() {}
      },
    },
    "some.db",
    {},
  );
  expect(driver.inTransaction).toBe(false);
  expect(open, "left as it was").toBe(false);
  driver.exec("BEGIN");
  expect(driver.inTransaction).toBe(true);
  expect(open).toBe(true);
});

it("X16 keeps Node's warning about its SQLite to itself, and no other", async () => {
  vi.resetModules();
  const fresh = await import("./node-sqlite.js");
  const heard: unknown[] = [];
  const emitWarning = vi.spyOn(process, "emitWarning").mockImplementation((warning) => void heard.push(warning));
  const load = vi.spyOn(process as unknown as { getBuiltinModule(id: string): unknown }, "getBuiltinModule");
  load.mockImplementation(() => {
    process.emitWarning("SQLite is an experimental feature and might change at any time", "ExperimentalWarning");
    process.emitWarning("Something else is experimental", "ExperimentalWarning");
    return { DatabaseSync: class {} };
  });
  expect(fresh.nodeSqlite()).toBeDefined();
  process.emitWarning("SQLite is an experimental feature", "ExperimentalWarning");
  expect(heard).toEqual(["Something else is experimental", "SQLite is an experimental feature"]);
  emitWarning.mockRestore();
  load.mockRestore();
});

it("X16 is used where Node has it", () => {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const has = major > 23 || (major === 23 && minor >= 4) || (major === 22 && minor >= 13);
  expect(nodeSqlite() !== undefined).toBe(has);
});

function thrownBy(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}
