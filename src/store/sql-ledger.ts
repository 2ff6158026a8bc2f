import type { SystemLedger, TaskChange, TaskKey, TaskLedger, TenantLedger } from "../tasks/ledger.js";
import type { PushKey } from "../tasks/push-ledger.js";
import { answer } from "./ledger/answer.js";
import { decide } from "./ledger/approvals/decide.js";
import { approvalOf, findApproval } from "./ledger/approvals/find.js";
import { listApprovals } from "./ledger/approvals/list.js";
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
import { claimPush, releasePush } from "./ledger/push/claim.js";
import { disablePush, retryPush } from "./ledger/push/decide.js";
import { findPush, pushesOf, removePush } from "./ledger/push/find.js";
import { listPushes } from "./ledger/push/list.js";
import { livePushes } from "./ledger/push/live.js";
import { recordDelivered, recordFailed } from "./ledger/push/record.js";
import { setPush } from "./ledger/push/set.js";
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
import { Listeners } from "./sql/announcements.js";
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

/**
 * The ledger on a SQL database: one line per method of the port, each naming the command that does it.
 *
 * @param room shared with the other stores that make tasks on this database
 */
export function sqlLedger(database: Database, room: QueueRoom = new QueueRoom()): TaskLedger {
  const { write, read } = database;
  const totals = new ListTotals();
  database.onCommit((changes) => room.notice(changes));
  const pushes = new Listeners<PushKey>();
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
    push: {
      live: (query) => read(livePushes(query)),
      find: (key) => read(findPush(key)),
      claim: (command) => write(claimPush(command)),
      delivered: (command) => write(recordDelivered(command)),
      failed: (command) => write(recordFailed(command)),
      release: (lease) => write(releasePush(lease)),
      list: (query) => read(listPushes(query)),
      async retry(command) {
        const due = await write(retryPush(command));
        for (const push of due) pushes.tell(push);
        return due;
      },
      disable: (command) => write(disablePush(command)),
    },
    approvals: {
      list: (query) => read(listApprovals(query)),
      find: (id) => read(findApproval(id)),
      decide: (command) => write(decide(command)),
    },
  };
  return {
    system,
    forTenant(tenant) {
      let view = views.get(tenant);
      if (view === undefined) {
        view = tenantView({ write, read }, room, totals, pushes, tenant);
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
    onPush: pushes.add,
    close: () => database.close(),
  };
}

function tenantView(
  { write, read }: Pick<Database, "write" | "read">,
  room: QueueRoom,
  totals: ListTotals,
  pushes: Listeners<PushKey>,
  tenant: string,
): TenantLedger {
  /** The commit itself was announced before: whoever hears of a subscription looks at where its task stands. */
  const tell = (taskId: string, id: string) => pushes.tell({ tenant, taskId, id });
  return {
    submit: (command) => {
      const submitted = write(submit(tenant, command, room));
      const { push } = command;
      if (push === undefined) return submitted;
      return submitted.then((done) => {
        if (done.created) tell(done.task.id, push.id);
        return done;
      });
    },
    async answer(command) {
      const answered = await write(answer(tenant, command));
      if (command.push !== undefined && answered.accepted) tell(command.taskId, command.push.push.id);
      return answered;
    },
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
    push: {
      async set(command) {
        const made = await write(setPush(tenant, command));
        tell(made.taskId, made.id);
        return made;
      },
      get: (taskId, id) => read(findPush({ tenant, taskId, id })),
      list: (taskId) => read(pushesOf(tenant, taskId)),
      remove: ({ taskId, id }) => write(removePush({ tenant, taskId, id })),
    },
    approvals: { find: (call) => read(approvalOf(tenant, call)) },
  };
}
