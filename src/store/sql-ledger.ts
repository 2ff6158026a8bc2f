import type { SystemLedger, TaskChange, TaskKey, TaskLedger, TenantLedger } from "../tasks/ledger.js";
import { answer } from "./ledger/answer.js";
import { cancel } from "./ledger/cancel.js";
import { claim } from "./ledger/claim.js";
import { listDead, purgeDead, retryDead } from "./ledger/dead-letters.js";
import { findTask } from "./ledger/find-task.js";
import { extendLease } from "./ledger/heartbeat.js";
import { countTasks, findTenant, listChildren, listTasks, loadConversation } from "./ledger/list-tasks.js";
import { enlist } from "./ledger/listing/enlist.js";
import { listPage } from "./ledger/listing/page.js";
import { ListTotals } from "./ledger/listing/totals.js";
import { loadEvents, loadSnapshot, loadSnapshotAt } from "./ledger/load-snapshot.js";
import { queueFacts } from "./ledger/queue-facts.js";
import { QueueRoom } from "./ledger/queue-room.js";
import { append } from "./ledger/record-attempt.js";
import { findLost, takeBackLost } from "./ledger/recover.js";
import { compact } from "./ledger/retention/compact.js";
import { forgetMessages } from "./ledger/retention/forget-messages.js";
import { dropJournal, oldJournals } from "./ledger/retention/journals.js";
import { oldTasks } from "./ledger/retention/old-tasks.js";
import { purgeTree } from "./ledger/retention/purge-tree.js";
import { settle } from "./ledger/settle.js";
import { standing } from "./ledger/standing.js";
import { submit } from "./ledger/submit.js";
import { toTask } from "./ledger/task-row.js";
import { tokensOfRoot } from "./ledger/tokens.js";
import { findDue, wakeIfDue } from "./ledger/wake.js";
import type { Command } from "./sql/command.js";

/** Runs commands on one database. */
export interface Database {
  /** Resolves when the command is durable. */
  write<T>(command: Command<T>): Promise<T>;
  read<T>(query: Command<T>): Promise<T>;
  /** Called with the effects of each commit, after it; on other nodes with what they announce. */
  onCommit(listener: (changes: readonly TaskChange[]) => void): () => void;
  /** Called when announcements of other nodes may have been missed, and from time to time in case nobody noticed. */
  onMissed(listener: () => void): () => void;
  /** Tells the other nodes, soon and without a promise that they hear it. */
  announceStopped(task: TaskKey): void;
  onStopped(listener: (task: TaskKey) => void): () => void;
  /** Called when a key has been revoked, here or on another node. */
  onKeyRevoked(listener: (keyId: string) => void): () => void;
  close(): Promise<void>;
}

/** Commands of a recovery that are handed over at once: what shares a commit on SQLite. */
const PART = 250;

/** The ledger on a SQL database: one line per method of the port, each naming the command that does it. */
export function sqlLedger(database: Database): TaskLedger {
  const { write, read } = database;
  const room = new QueueRoom();
  const totals = new ListTotals();
  database.onCommit((changes) => room.notice(changes));
  const views = new Map<string, TenantLedger>();
  const system: SystemLedger = {
    claim: (command) => write(claim(command)),
    append: (command) => write(append(command)),
    settle: (command) => write(settle(command)),
    async heartbeat({ leases, leaseMs, now }) {
      const held = await Promise.all(leases.map((lease) => write(extendLease(lease, leaseMs, now))));
      return { lost: leases.filter((_, index) => held[index] === false).map(({ taskId }) => taskId) };
    },
    async wakeDue(command) {
      const { due, nextAt } = await read(findDue(command));
      const woken = await Promise.all(due.map((row) => write(wakeIfDue(row, command.now))));
      return { woken: woken.filter(Boolean).length, nextAt };
    },
    async recover(command) {
      const lost = await read(findLost(command));
      const recovered = { requeued: 0, failed: 0, kept: 0 };
      // A part at a time: whoever else writes meanwhile waits for no more than that.
      for (let from = 0; from < lost.length; from += PART) {
        const part = lost.slice(from, from + PART);
        for (const fate of await Promise.all(part.map((row) => write(takeBackLost(row, command)))))
          recovered[fate] += 1;
      }
      return { requeued: recovered.requeued, failed: recovered.failed };
    },
    standing: (tasks) => read(standing(tasks)),
    list: ({ tenant, ...query }) => read(listTasks(tenant, query)),
    tenantOf: (taskId) => read(findTenant(taskId)),
    deadLetters: (query) => read(listDead(query)),
    purgeDead: (command) => write(purgeDead(command)),
    counts: () => read(countTasks),
    queueFacts: (tenant, id) => read(queueFacts(tenant, id)),
    retention: {
      oldTasks: (query) => read(oldTasks(query)),
      purgeTree: (command) => write(purgeTree(command)),
      compact: (task) => write(compact(task)),
      oldJournals: (query) => read(oldJournals(query)),
      dropJournal: (task) => write(dropJournal(task)),
      forgetMessages: (query) => write(forgetMessages(query)),
    },
  };
  return {
    system,
    forTenant(tenant) {
      let view = views.get(tenant);
      if (view === undefined) {
        view = tenantView({ write, read }, room, totals, tenant);
        views.set(tenant, view);
      }
      return view;
    },
    onChange: (listener) =>
      database.onCommit((changes) => {
        for (const change of changes) listener(change);
      }),
    onMissed: (listener) => database.onMissed(listener),
    announceStopped: (task) => database.announceStopped(task),
    onStopped: (listener) => database.onStopped(listener),
    close: () => database.close(),
  };
}

function tenantView(
  { write, read }: Pick<Database, "write" | "read">,
  room: QueueRoom,
  totals: ListTotals,
  tenant: string,
): TenantLedger {
  return {
    submit: (command) => write(submit(tenant, command, room)),
    answer: (command) => write(answer(tenant, command)),
    cancel: (command) => write(cancel(tenant, command)),
    retryDead: (command) => write(retryDead(tenant, command, room)),
    task: (id) =>
      read(function* () {
        const row = yield* findTask(tenant, id);
        return row === undefined ? null : toTask(row);
      }),
    snapshot: (id, atSeq) =>
      read(function* () {
        const row = yield* findTask(tenant, id);
        if (row === undefined) return null;
        return atSeq === undefined ? yield* loadSnapshot(row) : yield* loadSnapshotAt(row, atSeq);
      }),
    events: (id, after, limit = 1000) => read(() => loadEvents(tenant, id, { after, limit })),
    list: (query) => read(listTasks(tenant, query)),
    listed: (query) => read(listPage(tenant, query, totals)),
    enlist: ({ taskId, now }) => write(() => enlist(tenant, taskId, now)),
    children: (id) => read(listChildren(tenant, id)),
    tokensOfRoot: (rootId) => read(() => tokensOfRoot(tenant, rootId)),
    conversation: (query) => read(loadConversation(tenant, query)),
  };
}
