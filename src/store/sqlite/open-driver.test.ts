import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as base, describe, expect } from "vitest";
import type { SqliteDriver } from "./driver.js";
import { nodeSqlite } from "./node-sqlite.js";
import { openDriver } from "./open-driver.js";

const it = base.extend<{ file: string; driver: SqliteDriver }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures this one needs
  file: async ({}, use) => {
    const directory = mkdtempSync(join(tmpdir(), "nuncio-driver-"));
    await use(join(directory, "some.db"));
    rmSync(directory, { recursive: true });
  },
  driver: async ({ file }, use) => {
    const driver = openDriver(file);
    driver.exec("CREATE TABLE pairs (id INTEGER PRIMARY KEY, text TEXT)");
    await use(driver);
    driver.close();
  },
});

/** The same is expected of each driver: the suite runs with the one of the Node that runs it. */
describe(nodeSqlite() === undefined ? "better-sqlite3" : "the SQLite of Node", () => {
  it("X16 binds and returns texts, numbers up to 2^53 and nothing", ({ driver }) => {
    const values = ["ä 😀 'x'", 9_007_199_254_740_991, -1, null];
    const [row] = driver.prepare("SELECT ? AS a, ? AS b, ? AS c, ? AS d").all(values);
    expect(Object.values(row ?? {})).toEqual(values);
  });

  it("X16 says how many rows a statement changed, and returns those that it names", ({ driver }) => {
    const insert = driver.prepare("INSERT INTO pairs (text) VALUES (?), (?)");
    expect(insert.run(["a", "b"])).toBe(2);
    const update = driver.prepare("UPDATE pairs SET text = 'c' WHERE text = ? RETURNING id");
    expect(update.all(["b"]).map((row) => ({ ...row }))).toEqual([{ id: 2 }]);
    expect(update.all(["b"])).toEqual([]);
    expect(driver.prepare("DELETE FROM pairs WHERE id = ?").run([99])).toBe(0);
  });

  it("X16 knows whether a transaction is open, also after SQLite has ended it by itself", ({ driver }) => {
    expect(driver.inTransaction).toBe(false);
    driver.exec("BEGIN IMMEDIATE");
    expect(driver.inTransaction).toBe(true);
    driver.exec("COMMIT");
    driver.exec("BEGIN");
    driver.exec("INSERT INTO pairs (id) VALUES (1)");
    expect(() => driver.exec("INSERT OR ROLLBACK INTO pairs (id) VALUES (1)")).toThrow();
    expect(driver.inTransaction).toBe(false);
  });

  it("X16 names what SQLite refuses", ({ driver, file }) => {
    const code = (name: string) => expect.objectContaining({ code: expect.stringMatching(`^${name}`) });
    driver.exec("INSERT INTO pairs (id) VALUES (1)");
    expect(() => driver.exec("INSERT INTO pairs (id) VALUES (1)")).toThrow(code("SQLITE_CONSTRAINT_?"));
    expect(() => driver.prepare("SELECT nothing")).toThrow(code("SQLITE_ERROR$"));
    driver.exec("PRAGMA query_only = ON");
    expect(() => driver.prepare("DELETE FROM pairs").run([])).toThrow(code("SQLITE_READONLY"));
    driver.exec("PRAGMA query_only = OFF; PRAGMA max_page_count = 1");
    expect(() => driver.prepare("INSERT INTO pairs (text) VALUES (?)").run(["x".repeat(100_000)])).toThrow(
      code("SQLITE_FULL"),
    );
    const other = openDriver(file);
    other.exec("BEGIN IMMEDIATE; PRAGMA busy_timeout = 0");
    driver.exec("PRAGMA busy_timeout = 0");
    expect(() => driver.exec("BEGIN IMMEDIATE")).toThrow(code("SQLITE_BUSY"));
    other.close();
    writeFileSync(`${file}-text`, "no database at all ".repeat(100));
    const text = openDriver(`${file}-text`);
    expect(() => text.prepare("PRAGMA user_version").all([])).toThrow(code("SQLITE_NOTADB"));
    text.close();
    expect(() => openDriver(join(file, "below"))).toThrow(code("SQLITE_CANTOPEN"));
  });

  it("X16 opens a file to be read only when it is there, and lets nobody write to it", ({ driver, file }) => {
    expect(() => openDriver(`${file}-missing`, { readOnly: true })).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/^SQLITE_CANTOPEN/) }),
    );
    driver.exec("INSERT INTO pairs (text) VALUES ('kept')");
    const reader = openDriver(file, { readOnly: true });
    expect(reader.prepare("SELECT text FROM pairs").all([])[0]?.text).toBe("kept");
    expect(() => reader.exec("DELETE FROM pairs")).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/^SQLITE_READONLY/) }),
    );
    reader.close();
  });
});
