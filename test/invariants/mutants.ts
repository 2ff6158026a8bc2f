// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are pieces of source text

/** A fault in one of the guards that keep an invariant of the ledger: what somebody might write who does not know it. */
export interface Mutant {
  /** Number of the invariant that it breaks. */
  invariant: 1 | 2 | 3 | 4 | 5 | 6 | 7;
  /** What is wrong, in words. */
  fault: string;
  /** Source file, below `src/`. */
  file: string;
  /** Text that stands exactly once in the file, and what stands there instead. */
  edits: readonly (readonly [find: string, replace: string])[];
  /** Which test files should notice, below `src/`. */
  noticedBy: readonly string[];
}

const LEDGER = ["store/sqlite/sqlite-ledger.test.ts"];
const SYNC = ["store/sqlite/wal-sync.test.ts"];

export const MUTANTS: readonly Mutant[] = [
  // 1. Transitions only as in the table; updates carry the expected state and the lease; zero rows is an error.
  {
    invariant: 1,
    fault: "a transition is added to the table",
    file: "tasks/task-state.ts",
    edits: [[`wake: { from: ["waiting"], to: "pending" }`, `wake: { from: ["waiting", "processing"], to: "pending" }`]],
    noticedBy: ["tasks/task-state.test.ts"],
  },
  {
    invariant: 1,
    fault: "a transition is missing in the table",
    file: "tasks/task-state.ts",
    edits: [
      [
        `cancel: { from: ["pending", "claimed", "processing", "waiting"]`,
        `cancel: { from: ["pending", "claimed", "waiting"]`,
      ],
    ],
    noticedBy: ["tasks/task-state.test.ts"],
  },
  {
    invariant: 1,
    fault: "a transition leads elsewhere",
    file: "tasks/task-state.ts",
    edits: [[`reject: { from: ["processing"], to: "rejected" }`, `reject: { from: ["processing"], to: "failed" }`]],
    noticedBy: ["tasks/task-state.test.ts"],
  },
  {
    invariant: 1,
    fault: "what an attempt writes does not expect a state",
    file: "store/ledger/record-attempt.ts",
    edits: [["id = :id AND state = :expected AND lease_owner", "id = :id AND :expected = :expected AND lease_owner"]],
    noticedBy: LEDGER,
  },
  {
    invariant: 1,
    fault: "a record that changes no row is passed over in silence",
    file: "store/ledger/record-attempt.ts",
    edits: [
      ["if (row === undefined) throw leaseLost(record.lease.taskId);", "if (row === undefined) return { seq: 0 };"],
    ],
    noticedBy: LEDGER,
  },
  {
    invariant: 1,
    fault: "a claim takes a task in whatever state",
    file: "store/ledger/claim.ts",
    edits: [
      [
        'persona = :persona AND ${allows("claim")} AND blocked = 0 AND run_at <= :now',
        "persona = :persona AND blocked = 0 AND run_at <= :now",
      ],
    ],
    noticedBy: LEDGER,
  },

  // 2. What a caller was told is on disk first; announcements come after the commit.
  {
    invariant: 2,
    fault: "the disk is not synced at a commit",
    file: "store/sqlite/open-sqlite.ts",
    edits: [["log?.()", "undefined"]],
    noticedBy: SYNC,
  },
  {
    invariant: 2,
    fault: "what is committed is told before the disk has taken it",
    file: "store/sqlite/durable-line.ts",
    edits: [
      [
        "    else if (!wrote && this.#isEmpty) telling.tell();",
        "    else if (this.#log !== undefined) telling.tell();",
      ],
    ],
    noticedBy: SYNC,
  },
  {
    invariant: 2,
    fault: "what is committed is read before the disk has taken it",
    file: "store/sqlite/durable-line.ts",
    edits: [["!wrote && this.#isEmpty", "!wrote"]],
    noticedBy: SYNC,
  },
  {
    invariant: 2,
    fault: "changes are announced before the commit",
    file: "store/sqlite/grouped-writer.ts",
    edits: [
      [
        "      this.#end.run([]);\n",
        "      this.#announce(done.map(({ effects }) => effects));\n      this.#end.run([]);\n",
      ],
      ["      this.#announce(run.done.map(({ effects }) => effects));\n", ""],
    ],
    noticedBy: LEDGER,
  },
  {
    invariant: 2,
    fault: "callers are answered before the commit",
    file: "store/sqlite/grouped-writer.ts",
    edits: [["          done.push({ waiting", "          waiting.resolve(value);\n          done.push({ waiting"]],
    noticedBy: LEDGER,
  },
  {
    invariant: 2,
    fault: "what was undone is announced all the same",
    file: "store/sqlite/grouped-writer.ts",
    edits: [
      [
        "          refused.push({ waiting, error",
        "          this.#announce([effects]);\n          refused.push({ waiting, error",
      ],
    ],
    noticedBy: LEDGER,
  },

  // 3. Event numbers without gap or duplicate; a reader sees everything exactly once.
  {
    invariant: 3,
    fault: "numbers of events begin anew with each record",
    file: "store/ledger/append-events.ts",
    edits: [["let seq = row.seq - facts.length;", "let seq = 1;"]],
    noticedBy: LEDGER,
  },
  {
    invariant: 3,
    fault: "a record counts one event too many",
    file: "store/ledger/record-attempt.ts",
    edits: [["...ownedBy(record), facts: facts.length }", "...ownedBy(record), facts: facts.length + 1 }"]],
    noticedBy: LEDGER,
  },
  {
    invariant: 3,
    fault: "the event that a reader has seen is read again",
    file: "store/ledger/load-snapshot.ts",
    edits: [["seq > :after", "seq >= :after"]],
    noticedBy: LEDGER,
  },
  {
    invariant: 3,
    fault: "a task as it stood at an event lacks that event",
    file: "store/ledger/load-snapshot.ts",
    edits: [["seq <= :upTo", "seq < :upTo"]],
    noticedBy: LEDGER,
  },
  {
    invariant: 3,
    fault: "a follower does not notice what was not announced to it",
    file: "tasks/follow.ts",
    edits: [["if (behind || batch.some((event, index) => event.seq !== seen + 1 + index)) {", "if (behind) {"]],
    noticedBy: ["tasks/follow.test.ts"],
  },

  // 4. A worker that lost its lease can change nothing any more.
  {
    invariant: 4,
    fault: "what an attempt writes is not fenced",
    file: "store/ledger/record-attempt.ts",
    edits: [[" AND fence = :fence`", " AND :fence = :fence`"]],
    noticedBy: LEDGER,
  },
  {
    invariant: 4,
    fault: "a claim does not raise the fence",
    file: "store/ledger/claim.ts",
    edits: [["fence = fence + 1", "fence = fence + 0"]],
    noticedBy: LEDGER,
  },
  {
    invariant: 4,
    fault: "a task that is claimed as it wakes keeps its fence",
    file: "store/ledger/wake.ts",
    edits: [["fence: row.fence + (claimed ? 1 : 0)", "fence: row.fence"]],
    noticedBy: LEDGER,
  },
  {
    invariant: 4,
    fault: "a heartbeat extends the lease of a successor",
    file: "store/ledger/heartbeat.ts",
    edits: [[" AND fence = :fence", " AND :fence = :fence"]],
    noticedBy: LEDGER,
  },

  // 5. One submission per tenant, target, principal and message id.
  {
    invariant: 5,
    fault: "messages have no unique key",
    file: "store/schema/0001-ledger.ts",
    edits: [
      [
        "PRIMARY KEY (tenant, persona, principal, message_id)",
        "PRIMARY KEY (tenant, persona, principal, message_id, task_id)",
      ],
    ],
    noticedBy: LEDGER,
  },
  {
    invariant: 5,
    fault: "the key of a message leaves out who sent it",
    file: "store/schema/0001-ledger.ts",
    edits: [["PRIMARY KEY (tenant, persona, principal, message_id)", "PRIMARY KEY (tenant, persona, message_id)"]],
    noticedBy: LEDGER,
  },
  {
    invariant: 5,
    fault: "another body is taken for the same message",
    file: "store/ledger/message-ids.ts",
    edits: [["if (known.body_hash === bodyHash) return", "return"]],
    noticedBy: LEDGER,
  },

  // 6. A terminal task never changes again; retrying a dead letter makes a new task that names the old one.
  {
    invariant: 6,
    fault: "a task that has ended can be canceled",
    file: "store/ledger/cancel.ts",
    edits: [["if (isTerminal(row.state)) {", 'if (row.state === "canceled") {']],
    noticedBy: LEDGER,
  },
  {
    invariant: 6,
    fault: "a transition leads out of a terminal state",
    file: "tasks/task-state.ts",
    edits: [
      [
        `requeue: { from: ["claimed", "processing"], to: "pending" }`,
        `requeue: { from: ["claimed", "processing", "failed"], to: "pending" }`,
      ],
    ],
    noticedBy: ["tasks/task-state.test.ts"],
  },
  {
    invariant: 6,
    fault: "an attempt goes on behind its outcome",
    file: "store/ledger/settle.ts",
    edits: [
      ["lease_owner = NULL, lease_until = NULL, seq = seq + :facts", "seq = seq + :facts"],
      ["  WHERE ${OWNED}\n", '  WHERE ${OWNED.replace("state = :expected", ":expected = :expected")}\n'],
    ],
    noticedBy: LEDGER,
  },
  {
    invariant: 6,
    fault: "a retried dead letter does not name the task that failed",
    file: "store/ledger/dead-letters.ts",
    edits: [["null, effects, taskId)", "null, effects, null)"]],
    noticedBy: LEDGER,
  },

  // 7. A query without a tenant cannot be written.
  {
    invariant: 7,
    fault: "a task is found whoever's it is",
    file: "store/ledger/find-task.ts",
    edits: [
      ["FROM tasks WHERE tenant = :tenant AND id = :id`);\n", "FROM tasks WHERE :tenant = :tenant AND id = :id`);\n"],
    ],
    noticedBy: LEDGER,
  },
  {
    invariant: 7,
    fault: "events are read whoever's they are",
    file: "store/ledger/load-snapshot.ts",
    edits: [
      [
        "WHERE tenant = :tenant AND task_id = :taskId AND seq > :after",
        "WHERE :tenant = :tenant AND task_id = :taskId AND seq > :after",
      ],
    ],
    noticedBy: LEDGER,
  },
  {
    invariant: 7,
    fault: "children are listed whoever's they are",
    file: "store/ledger/list-tasks.ts",
    edits: [["WHERE tenant = :tenant AND parent_id = :parentId", "WHERE :tenant = :tenant AND parent_id = :parentId"]],
    noticedBy: ["store/tenant-bound.test.ts"],
  },
  {
    invariant: 7,
    fault: "all tenants share one view",
    file: "store/sql-ledger.ts",
    edits: [["let view = views.get(tenant);", "let view = [...views.values()][0];"]],
    noticedBy: LEDGER,
  },
];
