import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { expect, it, onTestFinished } from "vitest";
import { stringify } from "yaml";
import type { LedgerPlace } from "../../src/store/copy/ledger-place.js";
import { sideAt } from "../../src/store/copy/open-side.js";
import { sendMessage } from "../support/daemon/a2a.js";
import { faultsOf } from "../support/daemon/history.js";
import { startDaemon, startRefused } from "../support/daemon/start-daemon.js";
import { allEvents, allTasks, resultOf, untilSaid, untilSettled } from "../support/daemon/watch.js";
import { everything, filled, type Kind, open } from "../support/ledgers/whole-ledger.js";
import { freshSchema } from "../support/postgres/shared.js";
import { type CliResult, runCli, startCli } from "../support/run-cli.js";

const PRELOAD = fileURLToPath(new URL("die-at-commit.cjs", import.meta.url));

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), "nuncio-move-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

const placeOn = async (kind: Kind): Promise<LedgerPlace> =>
  kind === "sqlite"
    ? { type: "sqlite", file: join(directory(), "ledger.db") }
    : { type: "postgres", ...(await freshSchema()) };

/** A configuration that names the place, and nothing else. */
function configOf(place: LedgerPlace): string {
  const file = place.type === "sqlite" ? join(dirname(place.file), "nuncio.yaml") : join(directory(), "nuncio.yaml");
  writeFileSync(file, stringify(place.type === "sqlite" ? { dataDir: "." } : { storage: place }));
  return file;
}

const reasonOf = (opened: Promise<{ close(): Promise<void> }>): Promise<string> =>
  opened.then(
    async (database) => {
      await database.close();
      return "served";
    },
    (error) => error.reason,
  );

/** Whether there is a ledger that would be served with something in it, or half of it. */
async function standing(place: LedgerPlace): Promise<string> {
  const side = sideAt(place);
  try {
    if ((await side.version()) === 0) return "absent";
    const { copying_from, copied_from } = await side.marks();
    if (copying_from !== undefined) return "incomplete";
    if (copied_from !== undefined) return "complete";
    const tables = await side.tables();
    for (const table of tables) if ((await side.count(table)) > 0) return "served by half";
    return "empty";
  } finally {
    await side.close();
  }
}

it.each<[Kind, Kind]>([
  ["sqlite", "postgres"],
  ["postgres", "sqlite"],
])(
  "a move from %s to %s that is killed at one commit after another comes to its end, and never are there two",
  async (fromKind, toKind) => {
    const [from, to] = [await placeOn(fromKind), await placeOn(toKind)];
    await filled(from);
    const before = await everything(from);
    const args = ["db", "copy", "--from-config", configOf(from), "--to-config", configOf(to), "--json"];
    const seen = new Set<string>();
    const runKilled = (database: Kind, number: number, when: string): Promise<CliResult> =>
      runCli(args, {
        env: { NODE_OPTIONS: `--require ${PRELOAD}`, NUNCIO_TEST_COMMIT: `${database} ${number} ${when}` },
      });

    const kills: [Kind, number, string][] = [
      // Looking at the version is a transaction on PostgreSQL.
      [fromKind, fromKind === "sqlite" ? 1 : 2, "after"],
      [toKind, 1, "before"],
      [toKind, 2, "after"],
      [toKind, 3, "before"],
      [toKind, 5, "after"],
      [toKind, 8, "before"],
      [toKind, 10, "after"],
    ];
    for (const [database, number, when] of kills) {
      const { code, stderr } = await runKilled(database, number, when);
      expect([code, stderr]).toEqual([null, ""]);
      expect(await reasonOf(open(from))).toBe("LEDGER_MOVED");
      seen.add(await standing(to));
    }
    expect([...seen].sort()).toEqual(["absent", "empty", "incomplete"]);

    expect((await runCli(args)).json()).toMatchObject({ verified: true });
    expect(await everything(to)).toEqual(before);
    expect([await reasonOf(open(from)), await reasonOf(open(to))]).toEqual(["LEDGER_MOVED", "served"]);
  },
);

it("a move that is killed when the copy is complete is finished by the next run, which copies nothing", async () => {
  const [from, to] = [await placeOn("sqlite"), await placeOn("postgres")];
  await filled(from);
  const args = ["db", "copy", "--from-config", configOf(from), "--to-config", configOf(to), "--json"];
  const env = { NODE_OPTIONS: `--require ${PRELOAD}`, NUNCIO_TEST_COMMIT: "sqlite 2 before" };
  expect((await runCli(args, { env })).code).toBe(null);
  expect([await reasonOf(open(from)), await standing(to)]).toEqual(["LEDGER_MOVED", "complete"]);
  expect((await runCli(args)).json()).toMatchObject({ verified: true, tables: [] });
  expect([await reasonOf(open(from)), await reasonOf(open(to))]).toEqual(["LEDGER_MOVED", "served"]);
});

/** `asker` asks, `dead` dies, `boss` awaits what `slow` does, which waits for a word before it goes on. */
const personas = [
  {
    name: "asker",
    runtime: "scripted",
    visibility: "public",
    script: [{ when: { turn: 1 }, steps: [{ ask: "Which?" }] }],
  },
  {
    name: "dead",
    runtime: "scripted",
    visibility: "public",
    script: [{ steps: [{ fail: { text: "no", retryable: true, attempts: 9 } }] }],
  },
  {
    name: "boss",
    runtime: "scripted",
    visibility: "public",
    capabilities: { allow: ["persona.send:*"] },
    script: [
      { steps: [{ send: { to: "slow", message: "work", await: true, as: "r" } }, { reply: "heard {{results.r}}" }] },
    ],
  },
  {
    name: "slow",
    runtime: "scripted",
    script: [{ steps: [{ status: "at it" }, { sleep: 3000 }, { reply: "done in attempt {{attempt}}" }] }],
  },
];
const queue = { leaseMs: 2000, backoffBaseMs: 20, backoffMaxMs: 100 };

it("X4 a daemon goes on where the ledger was moved: keys, message ids, questions, dead letters, and what was running when it was killed", async () => {
  const daemon = await startDaemon({ personas, queue, a2a: { maxAttempts: 2 } });
  const { client, configFile, dataDir } = daemon;
  const { key } = await client.createKey({ name: "caller" });
  const asked = await client.send({ persona: "asker", text: "paint", messageId: "m-1" });
  await untilSettled(client, asked.id);
  const dead = await client.send({ persona: "dead", text: "try" });
  await untilSettled(client, dead.id);
  const boss = await client.send({ persona: "boss", text: "go" });
  await untilSaid(client, boss.id, "at it");

  const { url, schema } = await freshSchema();
  const postgresConfig = join(dirname(configFile), "postgres.yaml");
  writeFileSync(postgresConfig, stringify({ storage: { type: "postgres", url: "${TEST_URL}", schema } }));
  const copy = ["db", "copy", "--from", `sqlite:${dataDir}`, "--to-config", postgresConfig];
  const running = await runCli(copy, { env: { TEST_URL: url } });
  expect([running.code, running.stderr]).toEqual([2, expect.stringContaining(`a daemon is running on ${dataDir}`)]);

  await daemon.kill("SIGKILL");
  const moved = await runCli([...copy, "--json"], { env: { TEST_URL: url } });
  const { password } = new URL(url);
  expect(moved.code, moved.stderr).toBe(0);
  expect(moved.stdout + moved.stderr).not.toContain(password);
  expect(moved.json()).toMatchObject({ from: `sqlite:${join(dataDir, "ledger.db")}`, verified: true });

  const refused = await startRefused(configFile);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain(`was moved to ${moved.json().to}`);
  expect(refused.stderr).not.toContain(password);

  const storage = { type: "postgres", url, schema };
  daemon.configure({ personas, queue, storage, access: { anonymous: false }, a2a: { maxAttempts: 2 } });
  await daemon.restart();
  const settled = await untilSettled(client, boss.id);
  expect([settled.state, resultOf(settled)]).toEqual(["completed", "heard done in attempt 2"]);
  expect(await client.send({ persona: "asker", text: "paint", messageId: "m-1" })).toMatchObject({
    id: asked.id,
    created: false,
  });
  await client.answer(asked.id, "blue");
  expect((await untilSettled(client, asked.id)).state).toBe("completed");
  expect((await client.deadLetters()).tasks.map(({ id }) => id)).toEqual([dead.id]);
  await expect(sendMessage(daemon.url, "asker", { text: "hello" })).rejects.toThrow("credential");
  const response = await fetch(`${daemon.url}/v1/agents/asker/a2a/.well-known/agent-card.json`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(response.status).toBe(200);
  for (const { id } of await allTasks(client)) {
    expect(faultsOf(await client.task(id), await allEvents(client, id))).toEqual([]);
  }
  await daemon.kill("SIGTERM");
});

it("`nuncio up --use-moved-ledger` serves the old ledger all the same, and says so", async () => {
  const daemon = await startDaemon({ personas });
  const { id } = await daemon.client.send({ persona: "asker", text: "paint" });
  await untilSettled(daemon.client, id);
  await daemon.kill("SIGTERM");
  const target = directory();
  const copy = ["db", "copy", "--from", `sqlite:${daemon.dataDir}`, "--to", `sqlite:${target}`];
  const { code, stdout, stderr } = await runCli(copy);
  expect([code, stderr]).toEqual([0, expect.stringContaining("no daemon starts on the old one")]);
  expect(stdout).toMatch(/^TABLE +ROWS +SHA-256/);
  expect(stdout).toMatch(/\ntasks +1 +[0-9a-f]{64}\n/);

  const up = startCli(["up", "--config", daemon.configFile, "--use-moved-ledger"]);
  const said = await new Promise<string>((resolve, reject) => {
    let text = "";
    up.process.stderr.on("data", (chunk: string) => {
      text += chunk;
      if (/^serving/m.test(text)) resolve(text);
    });
    void up.done.then((ended) => reject(new Error(ended.stderr)));
  });
  expect(said).toContain("this ledger was moved and is served nevertheless");
  expect((await daemon.client.task(id)).state).toBe("waiting");
  up.process.kill("SIGTERM");
  await up.done;
  expect((await startRefused(daemon.configFile)).stderr).toContain("was moved to");
});

it("`nuncio db copy` interrupted with Ctrl-C leaves the ledger where it was", async () => {
  const [from, to] = [await placeOn("sqlite"), await placeOn("postgres")];
  await filled(from);
  const { url, schema } = to as { url: string; schema: string };
  const client = new Client({ connectionString: url });
  await client.connect();
  // The tables are there, and nobody may write to one of them.
  await (await open(to)).close();
  await client.query(`BEGIN; LOCK TABLE ${schema}.waits IN SHARE MODE`);
  const copy = startCli(["db", "copy", "--from-config", configOf(from), "--to-config", configOf(to)]);
  for (;;) {
    const { rows } = await client.query("SELECT 1 FROM pg_locks WHERE NOT granted AND relation = $1::regclass", [
      `${schema}.waits`,
    ]);
    if (rows.length > 0) break;
  }
  copy.process.kill("SIGINT");
  await client.query("COMMIT");
  await client.end();
  const { code, stderr } = await copy.done;
  expect([code, stderr]).toEqual([130, expect.stringContaining("the ledger is where it was")]);
  expect([await reasonOf(open(from)), await reasonOf(open(to))]).toEqual(["served", "LEDGER_INCOMPLETE"]);
});

it.each([
  [["--to", "sqlite:x"], "--from is missing"],
  [["--from", "sqlite:x", "--from-config", "y", "--to", "sqlite:z"], "--from and --from-config name two places"],
  [["--from", "sqlite:x", "--to", "${NO_SUCH_VARIABLE}"], "${NO_SUCH_VARIABLE} is not set"],
  [["--from", "sqlite:x", "--to", "mysql://ann:sesame@db/work"], "--to names no ledger"],
  [["--from", "sqlite:x", "--to", "postgres://ann:sesame@127.0.0.1:1/work"], "there is no ledger at sqlite:"],
])("`nuncio db copy %j` says what is wrong, and no password", async (args, text) => {
  const cwd = directory();
  const { code, stdout, stderr } = await runCli(["db", "copy", ...args], { cwd });
  expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining(text)]);
  expect(stderr).not.toContain("sesame");
  expect(readdirSync(cwd)).toEqual([]);
});
