import type { SystemLedger, TaskChange, TaskLedger, TenantLedger } from "../tasks/ledger.js";
import { answer } from "./ledger/answer.js";
import { cancel } from "./ledger/cancel.js";
import { claim } from "./ledger/claim.js";
import { listDead, purgeDead, retryDead } from "./ledger/dead-letters.js";
import { findTask } from "./ledger/find-task.js";
import { heartbeat } from "./ledger/heartbeat.js";
import { countTasks, findTenant, listChildren, listTasks, loadConversation } from "./ledger/list-tasks.js";
import { loadEvents, loadSnapshot, loadSnapshotAt } from "./ledger/load-snapshot.js";
import { queueFacts } from "./ledger/queue-facts.js";
import { append } from "./ledger/record-attempt.js";
import { recover } from "./ledger/recover.js";
import { settle } from "./ledger/settle.js";
import { submit } from "./ledger/submit.js";
import { toTask } from "./ledger/task-row.js";
import { wakeDue } from "./ledger/wake.js";
import type { Command } from "./sql/command.js";

/** Runs commands on one database. */
export interface Database {
  /** Resolves when the command is durable. */
  write<T>(command: Command<T>): Promise<T>;
  read<T>(query: Command<T>): Promise<T>;
  /** Called with the effects of each commit, after it. */
  onCommit(listener: (changes: readonly TaskChange[]) => void): () => void;
  close(): Promise<void>;
}

/** The ledger on a SQL database: one line per method of the port, each naming the command that does it. */
export function sqlLedger(database: Database): TaskLedger {
  const { write, read } = database;
  const views = new Map<string, TenantLedger>();
  const system: SystemLedger = {
    claim: (command) => write(claim(command)),
    append: (command) => write(append(command)),
    settle: (command) => write(settle(command)),
    heartbeat: (command) => write(heartbeat(command)),
    wakeDue: (command) => write(wakeDue(command)),
    recover: (command) => write(recover(command)),
    list: ({ tenant, ...query }) => read(listTasks(tenant, query)),
    tenantOf: (taskId) => read(findTenant(taskId)),
    deadLetters: (query) => read(listDead(query)),
    purgeDead: (command) => write(purgeDead(command)),
    counts: () => read(countTasks),
    queueFacts: (tenant, id) => read(queueFacts(tenant, id)),
  };
  return {
    system,
    forTenant(tenant) {
      let view = views.get(tenant);
      if (view === undefined) {
        view = tenantView(database, tenant);
        views.set(tenant, view);
      }
      return view;
    },
    onChange: (listener) =>
      database.onCommit((changes) => {
        for (const change of changes) listener(change);
      }),
    close: () => database.close(),
  };
}

function tenantView({ write, read }: Database, tenant: string): TenantLedger {
  return {
    submit: (command) => write(submit(tenant, command)),
    answer: (command) => write(answer(tenant, command)),
    cancel: (command) => write(cancel(tenant, command)),
    retryDead: (command) => write(retryDead(tenant, command)),
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
    children: (id) => read(listChildren(tenant, id)),
    conversation: (query) => read(loadConversation(tenant, query)),
  };
}
