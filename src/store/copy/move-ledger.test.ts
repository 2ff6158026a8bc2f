import { existsSync, mkdtempSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { test as base, describe, expect } from "vitest";
import { rowsOf, storedLedger, withFile } from "../../../test/support/ledgers/stored-ledger.js";
import { everything, filled, type Kind, open } from "../../../test/support/ledgers/whole-ledger.js";
import { freshSchema } from "../../../test/support/postgres/shared.js";
import { World } from "../../tasks/ledger-contract/world.contract.js";
import { checkLedger } from "../check/check-ledger.js";
import { openPostgres } from "../postgres/open-postgres.js";
import { sqlLedger } from "../sql-ledger.js";
import { lockDirectory } from "../sqlite/directory-lock.js";
import type { LedgerPlace } from "./ledger-place.js";
import { type MoveLedger, moveLedger } from "./move-ledger.js";
import { noteUse } from "./note-use.js";
import { sideAt } from "./open-side.js";
import type { LedgerSide } from "./side.js";

const NOW = Date.UTC(2026, 0, 1);

const it = base.extend<{ place(kind: Kind): Promise<LedgerPlace> }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures this one needs
  place: async ({}, use) => {
    const directories: string[] = [];
    await use(async (kind) => {
      if (kind === "postgres") return { type: "postgres", ...(await freshSchema()) };
      const directory = mkdtempSync(join(tmpdir(), "nuncio-copy-"));
      directories.push(directory);
      return { type: "sqlite", file: join(directory, "ledger.db") };
    });
    for (const directory of directories) rmSync(directory, { recursive: true });
  },
});

async function move(from: LedgerPlace, to: LedgerPlace, more: Partial<MoveLedger> = {}) {
  const sides = { from: sideAt(from), to: sideAt(to) };
  try {
    return await moveLedger({ ...sides, useMoved: false, now: NOW, watch: {}, ...more });
  } finally {
    await sides.from.close();
    await sides.to.close();
  }
}

/** A side at which everything goes wrong once this has been called so many times. */
function failing(side: LedgerSide, method: "insert" | "note" | "page", calls: number): LedgerSide {
  let left = calls;
  return new Proxy(side, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        if (name === method && left-- === 0) throw new Error("the cable was pulled");
        return value.apply(target, args);
      };
    },
  });
}

describe.each<[Kind, Kind]>([
  ["sqlite", "postgres"],
  ["postgres", "sqlite"],
  ["sqlite", "sqlite"],
  ["postgres", "postgres"],
])("a ledger that moves from %s to %s", (fromKind, toKind) => {
  it("has everything there, to the last character, and contradicts itself nowhere", async ({ place }) => {
    const [from, to] = [await place(fromKind), await place(toKind)];
    await filled(from);
    const before = await everything(from);
    expect(new Set(before.tasks?.map((row) => (row as { state: string }).state)).size, "states").toBe(8);
    const { tables } = await move(from, to);
    expect(await everything(to)).toEqual(before);
    expect(await everything(from)).toEqual(before);
    for (const { table, rows } of tables) if (table !== "meta") expect(rows, table).toBe(before[table]?.length);
    expect(tables.map(({ table }) => table)).toEqual([...Object.keys(before), "meta"].sort());

    const database = await open(to);
    expect(await database.read(checkLedger)).toEqual([]);
    await database.close();
  });

  it("is served there alone, and from where it was only by the operator's word", async ({ place }) => {
    const [from, to] = [await place(fromKind), await place(toKind)];
    await filled(from);
    const { to: name } = await move(from, to);
    await expect(open(from)).rejects.toMatchObject({
      reason: "LEDGER_MOVED",
      message: expect.stringContaining(name),
      hint: expect.stringContaining("--use-moved-ledger"),
    });
    await expect(move(from, await place(toKind))).rejects.toMatchObject({ reason: "LEDGER_MOVED" });
    await (await open(from, true)).close();
    // It moves on, and its mark does not move with it.
    const next = await place(fromKind);
    await move(to, next);
    await (await open(next)).close();
  });

  it.for([
    { when: "before the source is told", side: "from", method: "note", calls: 0, served: true },
    { when: "before the target is told", side: "to", method: "note", calls: 0, served: true },
    { when: "in the middle of the rows", side: "to", method: "insert", calls: 3, served: true },
    { when: "while the source is read", side: "from", method: "page", calls: 4, served: true },
    { when: "before the target is complete", side: "to", method: "note", calls: 1, served: false },
    { when: "before the source has moved", side: "from", method: "note", calls: 1, served: false },
  ] as const)("is whole in one place when it fails $when", async ({ side, method, calls, served }, { place }) => {
    const [from, to] = [await place(fromKind), await place(toKind)];
    await filled(from);
    const before = await everything(from);
    const sides = { from: sideAt(from), to: sideAt(to) };
    const broken = { ...sides, [side]: failing(sides[side], method, calls) };
    await expect(moveLedger({ ...broken, useMoved: false, now: NOW, watch: {} })).rejects.toThrow("the cable");
    await sides.from.close();
    await sides.to.close();

    if (served) {
      await (await open(from)).close();
    } else {
      await expect(open(from)).rejects.toMatchObject({ reason: "LEDGER_MOVED" });
    }
    // Nothing of it was copied yet, or it says that it is not all there, or all of it is there.
    if (method !== "note" || side === "to") {
      const fresh = method === "note" && calls === 0;
      if (!fresh) await expect(open(to)).rejects.toMatchObject({ reason: "LEDGER_INCOMPLETE" });
    }
    await move(from, to);
    expect(await everything(to)).toEqual(before);
    await expect(open(from)).rejects.toMatchObject({ reason: "LEDGER_MOVED" });
    await (await open(to)).close();
  });
});

describe("a move", () => {
  it("that stopped before its last word is finished without touching a target that is served by now", async ({
    place,
  }) => {
    const [from, to] = [await place("sqlite"), await place("postgres")];
    await filled(from);
    const side = sideAt(from);
    await expect(move(from, to, { from: failing(side, "note", 1) })).rejects.toThrow("the cable");
    await side.close();
    const database = await open(to);
    const world = new World(sqlLedger(database));
    await world.submit();
    expect((await move(from, to)).tables).toEqual([]);
    await expect(open(from)).rejects.toMatchObject({ message: expect.stringContaining("was moved to") });
    await database.close();
  });

  it("that stopped is not finished when the source was served since, and can be begun anew", async ({ place }) => {
    const [from, to] = [await place("sqlite"), await place("postgres")];
    await filled(from);
    const side = sideAt(from);
    await expect(move(from, to, { from: failing(side, "note", 1) })).rejects.toThrow("the cable");
    await side.close();
    const database = await open(from, true);
    expect(await database.write(noteUse(NOW))).toMatchObject({ place: sideAt(to).place });
    await database.close();
    await expect(move(from, to)).rejects.toMatchObject({ reason: "LEDGER_MOVED" });
    await expect(move(from, to, { useMoved: true })).rejects.toMatchObject({ reason: "LEDGER_NOT_EMPTY" });
    await move(from, await place("sqlite"), { useMoved: true });
  });

  it("that stopped is not begun again to another target, where there might be a second one", async ({ place }) => {
    const [from, to] = [await place("sqlite"), await place("sqlite")];
    await filled(from);
    const side = sideAt(from);
    await expect(move(from, to, { from: failing(side, "note", 1) })).rejects.toThrow("the cable");
    await side.close();
    await expect(move(from, await place("sqlite"))).rejects.toMatchObject({
      reason: "LEDGER_MOVED",
      message: expect.stringContaining(sideAt(to).place),
    });
  });

  it("can be interrupted, and then the ledger is served where it was", async ({ place }) => {
    const [from, to] = [await place("sqlite"), await place("postgres")];
    await filled(from);
    const stop = new AbortController();
    const watch = { signal: stop.signal, progress: () => stop.abort() };
    await expect(move(from, to, { watch })).rejects.toThrow("aborted");
    await (await open(from)).close();
    await expect(open(to)).rejects.toMatchObject({ reason: "LEDGER_INCOMPLETE" });
  });

  it("says how far it is, up to the last row", async ({ place }) => {
    const from = await place("sqlite");
    await filled(from);
    const seen: { part: string; done: number; total: number }[] = [];
    await move(from, await place("sqlite"), { watch: { progress: (at) => seen.push({ ...at }) } });
    for (const part of ["copying", "verifying"]) {
      const last = seen.filter((at) => at.part === part).at(-1);
      expect(last?.done).toBe(last?.total);
    }
  });

  it.for<Kind>(["sqlite", "postgres"])(
    "notices what has become different on the way to %s",
    async (kind, { place }) => {
      const from = await place("sqlite");
      await filled(from);
      const to = sideAt(await place(kind));
      const forgetful: LedgerSide = Object.create(to, {
        insert: { value: (table: never, rows: never[]) => to.insert(table, rows.slice(1)) },
      });
      const bound = new Proxy(forgetful, {
        get: (target, name) => {
          if (name === "insert") return target.insert;
          const value = Reflect.get(to, name);
          return typeof value === "function" ? value.bind(to) : value;
        },
      });
      await expect(move(from, { type: "sqlite", file: "" }, { to: bound })).rejects.toMatchObject({
        reason: "COPY_DIFFERS",
      });
      expect((await to.marks()).copying_from).toBeDefined();
      await to.close();
      await (await open(from)).close();
    },
  );

  it("takes a ledger of an earlier version with it", async ({ place }) => {
    const [from, to] = [await place("sqlite"), await place("postgres")];
    storedLedger(1, (from as { file: string }).file);
    const { tables } = await move(from, to);
    expect(tables.find(({ table }) => table === "tasks")?.rows).toBeGreaterThan(10);
    const database = await open(to);
    expect(await database.read(checkLedger)).toEqual([]);
    await database.close();
  });

  it("keeps what is noted about the ledger itself", async ({ place }) => {
    const [from, to] = [await place("sqlite"), await place("postgres")];
    await filled(from);
    const { file } = from as { file: string };
    withFile(file, (driver) => driver.exec("INSERT INTO meta (key, value) VALUES ('restored_at', '17')"));
    expect((await move(from, to)).tables.find(({ table }) => table === "meta")?.rows).toBe(1);
    const back = await place("sqlite");
    await move(to, back);
    expect(rowsOf((back as { file: string }).file, "SELECT * FROM meta WHERE key = 'restored_at'")).toHaveLength(1);
  });

  it("makes a file that only its owner can read", async ({ place }) => {
    const [from, to] = [await place("sqlite"), await place("sqlite")];
    await filled(from);
    await move(from, to);
    expect(statSync((to as { file: string }).file).mode & 0o777).toBe(0o600);
  });
});

describe("a move is refused", () => {
  it("where there is no ledger", async ({ place }) => {
    for (const kind of ["sqlite", "postgres"] as const) {
      await expect(move(await place(kind), await place("sqlite"))).rejects.toMatchObject({ reason: "NO_LEDGER" });
    }
  });

  it.for<Kind>(["sqlite", "postgres"])("into a %s ledger that has something in it", async (kind, { place }) => {
    const [from, to] = [await place("sqlite"), await place(kind)];
    await filled(from);
    await filled(to);
    const before = await everything(to);
    await expect(move(from, to)).rejects.toMatchObject({
      reason: "LEDGER_NOT_EMPTY",
      message: expect.stringMatching(/2 rows in api_keys, \d+ rows? in approvals, /),
    });
    expect(await everything(to)).toEqual(before);
    await (await open(from)).close();
  });

  it("onto itself", async ({ place }) => {
    const from = await place("sqlite");
    await filled(from);
    await expect(move(from, from)).rejects.toMatchObject({ code: "invalid_argument" });
  });

  it("while a daemon holds either data directory", async ({ place }) => {
    const [from, to] = [await place("sqlite"), await place("sqlite")];
    await filled(from);
    for (const { file } of [from, to] as { file: string }[]) {
      const lock = lockDirectory(join(file, ".."));
      await expect(move(from, to)).rejects.toMatchObject({ reason: "LEDGER_IN_USE" });
      lock.release();
    }
    expect(existsSync((to as { file: string }).file)).toBe(false);
  });

  it("while a daemon holds a data directory whose ledger is a link to a file on another disk", async ({ place }) => {
    const [disk, linked, to] = [await place("sqlite"), await place("sqlite"), await place("sqlite")];
    await filled(disk);
    const { file } = linked as { file: string };
    symlinkSync((disk as { file: string }).file, file);
    for (const held of [linked, disk] as { file: string }[]) {
      const lock = lockDirectory(join(held.file, ".."));
      await expect(move(linked, to)).rejects.toMatchObject({ reason: "LEDGER_IN_USE" });
      lock.release();
    }
    const link = `${join(file, "..")}-link`;
    symlinkSync(join(file, ".."), link);
    await move({ type: "sqlite", file: join(link, "ledger.db") }, to);
    rmSync(link);
  });

  it("while a node works on either schema, and lets no node in while it goes on", async ({ place }) => {
    const [from, to] = [await place("postgres"), await place("postgres")];
    await filled(from);
    for (const busy of [from, to]) {
      const node = await open(busy);
      await expect(move(from, to)).rejects.toMatchObject({
        reason: "LEDGER_IN_USE",
        message: expect.stringContaining("connected from 127.0.0.1"),
      });
      await node.close();
    }
    const tries: Promise<unknown>[] = [];
    const watch = {
      progress: () => {
        if (tries.length === 0) for (const each of [from, to]) tries.push(open(each).catch((error) => error));
      },
    };
    await move(from, to, { watch });
    for (const refused of await Promise.all(tries)) {
      expect(["LEDGER_IN_USE", "LEDGER_MOVED"]).toContain((refused as { reason?: string }).reason);
    }
  });

  it("from a copy that is not complete", async ({ place }) => {
    const [from, to] = [await place("sqlite"), await place("sqlite")];
    await filled(from);
    const side = sideAt(to);
    await expect(move(from, to, { to: failing(side, "insert", 1) })).rejects.toThrow("the cable");
    await side.close();
    await expect(move(to, await place("sqlite"))).rejects.toMatchObject({ reason: "LEDGER_INCOMPLETE" });
  });

  it.for<Kind>(["sqlite", "postgres"])(
    "from a ledger on %s with a table that the other does not know",
    async (kind, { place }) => {
      const [from, to] = [await place(kind), await place("sqlite")];
      await filled(from);
      if (from.type === "sqlite")
        withFile(from.file, (driver) => driver.exec("CREATE TABLE more (id TEXT PRIMARY KEY)"));
      else {
        const client = new Client({ connectionString: from.url });
        await client.connect();
        await client.query(`CREATE TABLE ${from.schema}.more (id text PRIMARY KEY)`);
        await client.end();
      }
      await expect(move(from, to)).rejects.toMatchObject({ reason: "TABLES_DIFFER" });
      await (await open(from)).close();
    },
  );

  it("of a text that PostgreSQL cannot hold, and says where it is", async ({ place }) => {
    const [from, to] = [await place("sqlite"), await place("postgres")];
    await filled(from);
    const { file } = from as { file: string };
    withFile(file, (driver) => driver.prepare("UPDATE dead_letters SET reason = ?").run(["a\0b"]));
    await expect(move(from, to)).rejects.toMatchObject({
      reason: "TEXT_NOT_STORABLE",
      message: expect.stringMatching(/^reason of the row "default", "[\w-]+" in dead_letters has a NUL/),
    });
  });
});

it("a node that had no connection while its ledger was moved away is not let in again", async ({ place }) => {
  const [from, to] = [await place("postgres"), await place("postgres")];
  await filled(from);
  const node = await openPostgres({ ...(from as { url: string; schema: string }), poolSize: 1 });
  const client = new Client({ connectionString: (from as { url: string }).url });
  await client.connect();
  const cut = `SELECT pg_terminate_backend(l.pid) FROM pg_locks l
    WHERE l.locktype = 'advisory' AND l.classid = 4 AND l.objid = CAST(hashtext('${(from as { schema: string }).schema}') AS oid)`;
  // It comes back again and again, and is cut off until the move has begun.
  for (;;) {
    await client.query(cut);
    const moved = await move(from, to).catch((error) => error);
    if (moved.reason !== "LEDGER_IN_USE") break;
  }
  await client.end();
  const world = new World(sqlLedger(node));
  await expect(world.submit()).rejects.toMatchObject({ code: "unavailable", reason: "LEDGER_MOVED" });
  await node.close();
});
