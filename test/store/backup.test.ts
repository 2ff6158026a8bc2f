import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { MIGRATIONS } from "../../src/store/schema/migrations.js";
import { restore } from "../../src/store/sqlite/restore.js";
import { isTerminal, type TaskState } from "../../src/tasks/task-state.js";
import { daemonDirectory } from "../support/daemon/daemon-process.js";
import { Puppet } from "../support/daemon/puppet.js";
import { startDaemon, type TestDaemon } from "../support/daemon/start-daemon.js";
import { allTasks, resultOf, untilSettled } from "../support/daemon/watch.js";
import { rowsOf, storedLedger, withFile } from "../support/ledgers/stored-ledger.js";
import { type CliResult, runCli } from "../support/run-cli.js";

const echo = { name: "echo", runtime: "scripted", script: [{ steps: [{ reply: "{{input.text}}" }] }] };
const lead = {
  name: "lead",
  runtime: "scripted",
  capabilities: { allow: ["persona.send:*"] },
  script: [
    {
      steps: [
        { send: { to: "echo", message: "{{input.text}}", await: true, as: "said" } },
        { reply: "{{results.said}}" },
      ],
    },
  ],
};

interface Place {
  configFile: string;
  dataDir: string;
  /** `nuncio db …` with this configuration. */
  db(...args: string[]): Promise<CliResult>;
  /** A file beside the configuration. */
  file(name: string): string;
}

/** A directory with a configuration and, unless told otherwise, the ledger of schema 1, and no daemon. */
function place(config: object = {}, ledger = true): Place {
  const directory = daemonDirectory({ personas: [echo], ...config });
  onTestFinished(directory.remove);
  mkdirSync(directory.dataDir);
  if (ledger) storedLedger(1, join(directory.dataDir, "ledger.db"));
  return at(directory);
}

const at = ({ configFile, dataDir }: { configFile: string; dataDir: string }): Place => ({
  configFile,
  dataDir,
  db: (...args) => runCli(["db", ...args, "--config", configFile]),
  file: (name) => join(dirname(configFile), name),
});

async function done(run: Promise<CliResult>): Promise<CliResult> {
  const result = await run;
  expect(result, result.stderr).toMatchObject({ code: 0 });
  return result;
}

async function refused(run: Promise<CliResult>, said: string, next: string): Promise<void> {
  const { code, stdout, stderr } = await run;
  expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(`error: ${said}`);
  expect(stderr).toMatch(/\n {2}next: /);
  expect(stderr).toContain(next);
  expect(stderr).not.toMatch(/\n\s+at /);
}

describe("a backup", () => {
  it("X12 under load is the ledger of one moment, and comes back with every task that it knows", async () => {
    const daemon = await startDaemon({ queue: { concurrency: 8 }, personas: [echo, lead] });
    const here = at(daemon);
    const load = startLoad(daemon);
    const backups: { file: string; before: Set<string> }[] = [];
    for (const name of ["first.db", "second.db", "third.db"]) {
      await load.more(20);
      const before = new Set(load.finished);
      await done(here.db("backup", here.file(name)));
      backups.push({ file: here.file(name), before });
    }
    await load.more(20);
    await load.stop();

    for (const { file, before } of backups) {
      expect((await done(here.db("check", file, "--json"))).json()).toMatchObject({ sound: true, faults: [] });
      const completed = new Set(rowsOf(file, "SELECT id FROM tasks WHERE state = 'completed'").map(({ id }) => id));
      expect(
        [...before].filter((id) => !completed.has(id)),
        "finished before, and not in the backup",
      ).toEqual([]);
    }

    const { file, before } = backups.at(-1) as (typeof backups)[number];
    await daemon.kill("SIGKILL");
    await done(here.db("restore", file, "--replace"));
    await daemon.restart();
    const tasks = await allTasks(daemon.client);
    for (const { id, state } of tasks) if (!isTerminal(state)) await untilSettled(daemon.client, id);
    const settled = new Map((await allTasks(daemon.client)).map(({ id, state }) => [id, state]));
    expect(new Set(settled.values())).toEqual(new Set<TaskState>(["completed"]));
    expect([...before].filter((id) => !settled.has(id))).toEqual([]);
    await daemon.kill("SIGTERM");
    expect((await done(here.db("check", "--json"))).json()).toMatchObject({ sound: true });
  });

  it("X12 is for its owner alone, says what is in it, and leaves nothing else behind", async () => {
    const here = place();
    const file = here.file("ledger-backup.db");
    // What a backup left that was killed: nobody has this process id any more.
    const gone = spawn(process.execPath, ["-e", ""]);
    await once(gone, "exit");
    writeFileSync(`${file}.${gone.pid}.partial`, "half");
    const told = (await done(here.db("backup", file, "--json"))).json();
    expect(told).toEqual({
      file,
      bytes: statSync(file).size,
      schema: 1,
      counts: {
        tasks: rowsOf(file, "SELECT * FROM tasks").length,
        unfinished: expect.any(Number),
        events: rowsOf(file, "SELECT * FROM events").length,
        journalSteps: 3,
        messageIds: rowsOf(file, "SELECT * FROM submissions").length,
        deadLetters: 2,
        keys: 1,
      },
      faults: null,
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(file)).sort()).toEqual(["data", "ledger-backup.db", "nuncio.yaml"]);
    expect(rowsOf(join(here.dataDir, "ledger.db"), "PRAGMA user_version"), "untouched").toEqual([{ user_version: 1 }]);

    const { stdout, stderr } = await done(here.db("backup", here.file("another.db")));
    expect(stdout).toBe(`21 tasks (12 unfinished), 61 events, 2 dead letters, 1 key in ${here.file("another.db")}\n`);
    expect(stderr).toContain("next: `nuncio db restore");
  });

  it("X12 has what a daemon that was killed had left in its log", async () => {
    const daemon = await startDaemon({ personas: [echo] });
    const { id } = await daemon.client.send({ persona: "echo", text: "kept" });
    await untilSettled(daemon.client, id);
    await daemon.kill("SIGKILL");
    const here = at(daemon);
    await done(here.db("backup", here.file("b.db")));
    expect(rowsOf(here.file("b.db"), "SELECT id, state FROM tasks")).toEqual([{ id, state: "completed" }]);
  });

  it("X12 is never written over another file, except when told so", async () => {
    const here = place();
    const file = here.file("precious.db");
    writeFileSync(file, "precious");
    await refused(here.db("backup", file), `${file} is there already`, "--force");
    expect(readFileSync(file, "utf8")).toBe("precious");
    await done(here.db("backup", file, "--force"));
    expect(rowsOf(file, "PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("X12 is refused where it cannot be, and says where that is", async () => {
    const here = place();
    const ledger = join(here.dataDir, "ledger.db");
    await refused(here.db("backup", ledger, "--force"), `${ledger} is the ledger itself`, "another file");
    await refused(here.db("backup", here.dataDir), `${here.dataDir} is a directory`, "name a file");
    const nowhere = here.file("no/where.db");
    await refused(here.db("backup", nowhere), here.file("no"), "is not there");

    const empty = place({}, false);
    await refused(empty.db("backup", empty.file("b.db")), "there is no ledger to back up", "--config");
    withFile(ledger, (driver) => driver.exec("PRAGMA user_version = 99"));
    await refused(here.db("backup", here.file("b.db")), `${ledger} has schema version 99`, "newer version");
    expect(readdirSync(dirname(here.configFile)).sort()).toEqual(["data", "nuncio.yaml"]);
  });

  it("X12 is not kept when the ledger is damaged", async () => {
    const here = place();
    damage(join(here.dataDir, "ledger.db"));
    await refused(here.db("backup", here.file("b.db")), join(here.dataDir, "ledger.db"), "damaged");
    expect(existsSync(here.file("b.db"))).toBe(false);
  });
});

describe("a restoration", () => {
  it("X12 runs again what was running when the backup was made, and remembers that it was restored", async () => {
    const puppet = await Puppet.start();
    const worker = { name: "worker", model: "puppet", provider: "puppet" };
    const daemon = await startDaemon({ providers: { puppet: puppet.provider }, personas: [worker] });
    const here = at(daemon);
    const { id } = await daemon.client.send({ persona: "worker", text: "work" });
    const first = await puppet.asked();
    await done(here.db("backup", here.file("b.db")));
    first.answer({ text: "the first answer" });
    await untilSettled(daemon.client, id);
    await daemon.kill("SIGTERM");

    const began = Date.now();
    const told = (await done(here.db("restore", here.file("b.db"), "--replace", "--json"))).json();
    expect(told).toMatchObject({
      dataDir: here.dataDir,
      schema: MIGRATIONS.length,
      faults: [],
      counts: { unfinished: 1 },
    });
    const ledger = join(here.dataDir, "ledger.db");
    const [note] = rowsOf(ledger, "SELECT value FROM meta WHERE key = 'restored_at'");
    expect(Number(note?.value)).toBeGreaterThanOrEqual(began);
    expect(statSync(ledger).mode & 0o777).toBe(0o600);
    expect(rowsOf(told.replaced, "SELECT id, state FROM tasks")).toEqual([{ id, state: "completed" }]);

    await daemon.restart();
    (await puppet.asked()).answer({ text: "the second answer" });
    expect(resultOf(await untilSettled(daemon.client, id))).toBe("the second answer");
  });

  it("X12 brings a backup of an earlier version up to date", async () => {
    const here = place();
    await done(here.db("backup", here.file("b.db")));
    const empty = place({}, false);
    await done(empty.db("restore", here.file("b.db")));
    const ledger = join(empty.dataDir, "ledger.db");
    expect(rowsOf(ledger, "PRAGMA user_version")).toEqual([{ user_version: MIGRATIONS.length }]);
    expect(readdirSync(empty.dataDir).sort()).toEqual(["daemon.lock", "ledger.db"]);
    expect((await done(empty.db("check"))).stdout).toContain("sound");
  });

  it("X12 is refused while a daemon runs, and where there is a ledger; with --replace that one is kept", async () => {
    const daemon = await startDaemon({ personas: [echo] });
    const here = at(daemon);
    const backup = here.file("b.db");
    await done(here.db("backup", backup));
    const { id } = await daemon.client.send({ persona: "echo", text: "later" });
    await untilSettled(daemon.client, id);
    for (const option of [[], ["--replace"]]) {
      await refused(here.db("restore", backup, ...option), `another daemon is running on ${here.dataDir}`, "stop it");
    }
    // Killed, so that its last work is in the log beside the ledger.
    await daemon.kill("SIGKILL");
    const ledger = join(here.dataDir, "ledger.db");
    await refused(here.db("restore", backup), `there is a ledger already: ${ledger}`, "--replace");
    expect(rowsOf(ledger, "SELECT id FROM tasks")).toEqual([{ id }]);

    const { stdout, stderr } = await done(here.db("restore", backup, "--replace"));
    expect(stdout).toContain("0 tasks");
    const [, aside] = /the ledger that was there is now (\S+)/.exec(stderr) ?? [];
    expect(aside).toMatch(/ledger\.db\.replaced-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/);
    expect(rowsOf(aside as string, "SELECT id, state FROM tasks")).toEqual([{ id, state: "completed" }]);
    expect(rowsOf(ledger, "SELECT id FROM tasks")).toEqual([]);
    // What was moved aside can come back in the same way.
    await done(here.db("restore", aside as string, "--replace"));
    expect(rowsOf(ledger, "SELECT id FROM tasks")).toEqual([{ id }]);
  });

  it("X12 takes nothing but a sound ledger of a version that it knows", async () => {
    const here = place();
    const backup = here.file("b.db");
    await done(here.db("backup", backup));
    const empty = place({}, false);
    const variant = (name: string, change: (file: string) => void): string => {
      const file = empty.file(name);
      copyFileSync(backup, file);
      change(file);
      return file;
    };
    const sql = (text: string) => (file: string) => withFile(file, (driver) => driver.exec(text));
    const cases: [file: string, said: string, next: string][] = [
      [empty.file("missing.db"), "is not there", "name a file"],
      [empty.dataDir, "is not a regular file", "nuncio db backup"],
      [variant("text.db", (file) => writeFileSync(file, "hello ".repeat(1000))), "is damaged", "backup"],
      [variant("other.db", sql("DROP TABLE journal")), "is a SQLite database, but no ledger", "nuncio db backup"],
      [variant("fresh.db", sql("PRAGMA user_version = 0")), "is a SQLite database, but no ledger", "nuncio db backup"],
      [variant("newer.db", sql("PRAGMA user_version = 99")), "has schema version 99", "newer version"],
      [variant("cut.db", (file) => truncateSync(file, statSync(file).size - 8192)), "is damaged", "backup"],
      [variant("damaged.db", damage), "is damaged", "backup"],
      [
        variant("live.db", (file) => writeFileSync(`${file}-wal`, "a log")),
        "is in use, or was not closed",
        "backup of it",
      ],
    ];
    for (const [file, said, next] of cases) {
      await expect(
        restore({ from: file, dataDir: empty.dataDir, replace: false, now: Date.now() }),
        said,
      ).rejects.toMatchObject({
        code: "failed_precondition",
        message: expect.stringMatching(`^${file} ${said}`),
        hint: expect.stringContaining(next),
      });
      expect(
        readdirSync(empty.dataDir).filter((name) => name !== "daemon.lock"),
        said,
      ).toEqual([]);
    }
    const ledger = join(here.dataDir, "ledger.db");
    await refused(here.db("restore", ledger, "--replace"), `${ledger} is the ledger of this data directory`, "backup");
  });

  it.each(["linkSync", "renameSync", "copyFileSync", "fsyncSync"])(
    "X12 that dies before its %s leaves one whole ledger, and can be made again",
    async (call) => {
      const here = place();
      const backup = here.file("b.db");
      await done(here.db("backup", backup));
      const ledger = join(here.dataDir, "ledger.db");
      withFile(ledger, (driver) => driver.exec("DELETE FROM dead_letters"));
      const child = spawn(
        process.execPath,
        ["--input-type=module", "-e", DYING, call, RESTORE.href, backup, here.dataDir],
        {
          stdio: "inherit",
        },
      );
      expect((await exited(child))[1]).toBe("SIGKILL");
      expect(rowsOf(ledger, "PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
      expect(rowsOf(ledger, "SELECT count(*) AS dead FROM dead_letters"), "still the old one").toEqual([{ dead: 0 }]);
      await restore({ from: backup, dataDir: here.dataDir, replace: true, now: Date.now() });
      expect(rowsOf(ledger, "SELECT count(*) AS dead FROM dead_letters")).toEqual([{ dead: 2 }]);
      expect(readdirSync(here.dataDir).filter((name) => name.includes("restoring"))).toEqual([]);
    },
  );
});

describe("a check", () => {
  it("says that a ledger is sound, also while a daemon writes to it", async () => {
    const daemon = await startDaemon({ personas: [echo, lead] });
    const here = at(daemon);
    const load = startLoad(daemon);
    await load.more(5);
    const { stdout } = await done(here.db("check"));
    expect(stdout).toMatch(/^\d+ tasks \(\d+ unfinished\), .* in \S+ledger\.db: sound\n$/);
    await load.stop();
  });

  it("exits with 1 and says which task contradicts itself, or what is damaged", async () => {
    const here = place();
    const older = await done(here.db("check", "--json"));
    expect(older.json()).toMatchObject({ schema: 1, sound: true, faults: null, damage: [] });
    expect(older.stderr).toContain("schema version 1, an earlier one");

    await done(here.db("backup", here.file("b.db")));
    await done(here.db("restore", here.file("b.db"), "--replace"));
    const ledger = join(here.dataDir, "ledger.db");
    const [task] = rowsOf(ledger, "SELECT id FROM tasks WHERE state = 'completed' AND retry_of IS NULL");
    withFile(ledger, (driver) =>
      driver.prepare("UPDATE tasks SET artifacts = NULL WHERE id = ?").run([task?.id as string]),
    );
    const found = await here.db("check");
    expect(found.code).toBe(1);
    expect(found.stdout).toContain(`task ${task?.id}: it has ended without its artifacts`);
    expect(found.stdout).toContain("not sound");
    // A copy is as good as what it is a copy of, and says so.
    const { stderr } = await done(here.db("backup", here.file("as-it-is.db")));
    expect(stderr).toContain(`warning: task ${task?.id}: it has ended without its artifacts`);

    damage(ledger);
    const damaged = await here.db("check");
    expect(damaged.code === 1 ? damaged.stdout : damaged.stderr).toContain("damaged");
    expect(damaged.code).not.toBe(0);
  });
});

/** Overwrites the middle of a ledger, beyond its schema. */
function damage(file: string): void {
  withFile(file, (driver) => driver.exec("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE"));
  const bytes = readFileSync(file);
  bytes.fill(0xa5, Math.floor(bytes.length / 2), Math.floor(bytes.length / 2) + 12_288);
  writeFileSync(file, bytes);
}

const RESTORE = new URL("../../dist/store/sqlite/restore.js", import.meta.url);
/** Restores, and dies where it would call a certain function of `node:fs`. */
const DYING = `
  import fs from "node:fs";
  import { syncBuiltinESMExports } from "node:module";
  const [call, module, from, dataDir] = process.argv.slice(1);
  fs[call] = () => process.kill(process.pid, "SIGKILL");
  syncBuiltinESMExports();
  const { restore } = await import(module);
  await restore({ from, dataDir, replace: true, now: Date.now() });`;

async function exited(child: ChildProcess): Promise<[number | null, string | null]> {
  return (await once(child, "exit")) as [number | null, string | null];
}

/** Callers who send one task after another, and count what has come to its end. */
function startLoad({ client }: TestDaemon) {
  const finished: string[] = [];
  const waiting: { number: number; resolve: () => void }[] = [];
  let stopped = false;
  const caller = async (persona: string) => {
    for (let n = 0; !stopped; n++) {
      const { id } = await client.send({ persona, text: `${n}` });
      await untilSettled(client, id);
      finished.push(id);
      for (const { number, resolve } of waiting) if (finished.length >= number) resolve();
    }
  };
  const callers = Promise.all(["echo", "echo", "lead", "lead"].map(caller));
  return {
    finished: finished as readonly string[],
    /** Resolves when so many more have finished. */
    more: (number: number) =>
      Promise.race([
        new Promise<void>((resolve) => waiting.push({ number: finished.length + number, resolve })),
        callers.then(() => {}),
      ]),
    async stop() {
      stopped = true;
      await callers;
    },
  };
}
