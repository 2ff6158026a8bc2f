import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { spent } from "../../../test/support/ledgers/every-crossing.js";
import { PlannedWorld } from "../../../test/support/planned-world.js";
import { freshSchema } from "../../../test/support/postgres/shared.js";
import { openPostgres } from "../postgres/open-postgres.js";
import type { Database } from "../sql-ledger.js";
import { backUp } from "../sqlite/back-up.js";
import { ledgerFile } from "../sqlite/ledger-file.js";
import { openSqlite } from "../sqlite/open-sqlite.js";
import { restore } from "../sqlite/restore.js";
import { restorePostgres } from "./restore-postgres.js";

const RESTORED = Date.UTC(2031, 0, 1);

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "nuncio-restored-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** From a backup on SQLite, which is what every backup is. */
const places: [string, (from: string) => Promise<Database>][] = [
  [
    "SQLite",
    async (from) => {
      const dataDir = join(directory, "restored");
      await restore({ from, dataDir, replace: false, now: RESTORED });
      return openSqlite(ledgerFile(dataDir));
    },
  ],
  [
    "PostgreSQL",
    async (from) => {
      const to = await freshSchema();
      await restorePostgres({ from, to, replace: false, now: RESTORED, watch: {} });
      return openPostgres(to);
    },
  ],
];

describe.each(places)("a ledger that is restored on %s", (_, restored) => {
  it("X12 P14 an answer that a peer was to get may have been sent since, so it is not", async () => {
    const before = new PlannedWorld(openSqlite(join(directory, "ledger.db")));
    const asking: string[] = [];
    for (let at = 0; at < 2; at++) {
      const taskId = await before.run(await before.prepare("peer"), "peer");
      asking.push(taskId);
      const lease = await before.claim(taskId);
      await before.intend(lease);
      const outcome = { type: "accepted", remoteTaskId: `r-${at}`, remoteContextId: null, answer: null } as const;
      await before.peers.settleSend({ tenant: "acme", taskId, turn: 1, outcome, now: before.now });
      await before.ledger.system.settle({
        ...{
          lease,
          now: before.now,
          start: false,
          facts: [],
          steps: [],
          inputTokens: 0,
          outputTokens: 0,
          artifacts: [],
        },
        outcome: { type: "asked", waitingFor: "input", message: { messageId: "q", role: "agent", parts: [] } },
      });
    }
    const [answered, waiting] = asking as [string, string];
    await before.peers.answer({
      ...{ tenant: "acme", taskId: answered, principal: "operator", bodyHash: "bb", now: before.now },
      message: { messageId: "answer", role: "user", parts: [{ text: "this one" }] },
      revision: (await before.peers.dispatch("acme", answered))?.revision as number,
    });
    const known = await before.peers.dispatch("acme", waiting);
    await before.ledger.close();
    await backUp({ from: join(directory, "ledger.db"), to: join(directory, "backup.db"), force: false });

    const after = new PlannedWorld(await restored(join(directory, "backup.db")));
    after.now = RESTORED;
    expect(await after.peers.dispatch("acme", answered)).toMatchObject({
      ...{ state: "unknown", remoteTaskId: "r-0", holdsSlot: true },
    });
    expect((await after.peers.receipts("acme", answered)).at(-1)).toMatchObject({ kind: "restored" });
    expect(await after.peers.dispatch("acme", waiting)).toEqual(known);
    expect(await after.intend(await after.claim(answered), 2)).toBe(false);
    await after.ledger.close();
  });

  it("X12 P10 believes nothing that may have been overtaken: grants admit nobody, what was to be sent is unknown", async () => {
    const before = new PlannedWorld(openSqlite(join(directory, "ledger.db")));
    const [prepared, sending, accepted, granted] = [
      await before.run(await before.prepare("peer"), "peer"),
      await before.run(await before.prepare("peer"), "peer"),
      await before.run(await before.prepare("peer"), "peer"),
      await before.grant(await before.prepare()),
    ];
    const served = await spent(before);
    await before.intend(await before.claim(sending));
    await before.intend(await before.claim(accepted));
    const outcome = { type: "accepted", remoteTaskId: "r-1", remoteContextId: null, answer: null } as const;
    await before.peers.settleSend({ tenant: "acme", taskId: accepted, turn: 1, outcome, now: before.now });
    const known = await before.peers.dispatch("acme", accepted);
    await before.ledger.close();
    await backUp({ from: join(directory, "ledger.db"), to: join(directory, "backup.db"), force: false });

    const after = new PlannedWorld(await restored(join(directory, "backup.db")));
    // Also one that was spent: it may have been revoked since the backup, and until it is renewed its peer sees nothing.
    for (const { id } of [granted, served]) expect((await after.grants.find(id))?.revokedAt).toBe(RESTORED);
    expect((await after.grants.find(served.id))?.spent).toMatchObject({ messageId: "m-1" });
    for (const taskId of [prepared, sending]) {
      const dispatch = await after.peers.dispatch("acme", taskId);
      expect(dispatch).toMatchObject({ state: "unknown", holdsSlot: true });
      expect(dispatch?.sends.map(({ state }) => state)).toEqual(taskId === sending ? ["unknown"] : []);
      const receipts = await after.peers.receipts("acme", taskId);
      expect(receipts.map(({ number }) => number)).toEqual(receipts.map((_, at) => at + 1));
      expect(receipts.at(-1)).toMatchObject({ kind: "restored", at: RESTORED });
    }
    expect(await after.peers.dispatch("acme", accepted)).toEqual(known);
    // Nothing is sent for what is unknown, whoever asks.
    after.now = RESTORED;
    await after.recover();
    expect(await after.intend(await after.claim(prepared))).toBe(false);
    await after.ledger.close();
  });
});
