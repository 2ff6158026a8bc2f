import { describe, expect, it } from "vitest";
import type { Approval } from "./approval-ledger.js";
import type { QueueFacts } from "./ledger.js";
import type { Task } from "./task.js";
import { TASK_STATES, TERMINAL_STATES } from "./task-state.js";
import { type WorkerFacts, why } from "./why.js";

const NOW = 1_000_000;

const task = (facts: Partial<Task> = {}): Task => ({
  id: "t1",
  tenant: "default",
  contextId: "c1",
  persona: "writer",
  principal: "operator",
  trigger: "cli",
  state: "pending",
  waitingFor: null,
  askingChildId: null,
  parentId: null,
  rootId: "t1",
  hop: 0,
  turn: 1,
  attempt: 0,
  seq: 1,
  retryOf: null,
  runAt: NOW,
  inputTokens: 0,
  outputTokens: 0,
  createdAt: NOW,
  updatedAt: NOW,
  ...facts,
});

const approval = (id: string, tool = "net_http"): Approval => ({
  id,
  tenant: "default",
  taskId: "t2",
  rootId: "t1",
  persona: "researcher",
  callId: "c1",
  tool,
  arguments: {},
  digest: "d",
  createdAt: NOW,
  expiresAt: NOW + 300_000,
  decision: null,
  reason: null,
  decidedAt: null,
});

const facts = (of: Partial<Task> = {}, more: Partial<QueueFacts> = {}): QueueFacts => ({
  task: task(of),
  maxAttempts: 3,
  leaseOwner: null,
  leaseUntil: null,
  wakeAt: null,
  behind: null,
  ahead: 0,
  awaited: [],
  approvals: [],
  ...more,
});

const idle: WorkerFacts = {
  draining: false,
  slots: { used: 0, total: 5 },
  persona: { used: 0, total: 2 },
  outside: [],
};

const child = (id: string, more: Partial<Task> = {}) =>
  task({ id, persona: "researcher", state: "processing", ...more });

const TABLE: [title: string, facts: QueueFacts, worker: WorkerFacts, sentence: string][] = [
  ["a free slot", facts(), idle, "Queued: a free slot takes it at once."],
  [
    "a daemon that drains",
    facts(),
    { ...idle, draining: true },
    "Queued: the daemon is shutting down and starts nothing new; it goes on after the next start.",
  ],
  [
    "a persona that is gone",
    facts(),
    { ...idle, persona: null },
    "Queued: persona writer is not loaded; add it to the configuration and run `nuncio reload`, or end the task with `nuncio task cancel t1`.",
  ],
  [
    "backoff",
    facts({ attempt: 1, runAt: NOW + 4000 }),
    idle,
    "Waiting after a failed attempt: attempt 2 of 3 starts in 4 s.",
  ],
  ["a start in the future", facts({ runAt: NOW + 90_000 }), idle, "Queued: the first attempt starts in 1 min 30 s."],
  [
    "the order of its context",
    facts({}, { behind: task({ id: "t0", state: "waiting", waitingFor: "reply" }) }),
    idle,
    "Queued behind task t0 (waiting for reply) of the same context, whose tasks run one after another.",
  ],
  [
    "the persona's limit",
    facts({}, { ahead: 3 }),
    { ...idle, persona: { used: 2, total: 2 } },
    "Queued: all 2 slots of persona writer are in use (maxConcurrent); 3 older tasks of the persona come first.",
  ],
  [
    "the daemon's limit",
    facts(),
    { ...idle, slots: { used: 1, total: 1 } },
    "Queued: the only slot of the daemon is in use (queue.concurrency).",
  ],
  ["older tasks", facts({}, { ahead: 1 }), idle, "Queued behind 1 older task of persona writer."],
  [
    "very many older tasks",
    facts({}, { ahead: 1000 }),
    idle,
    "Queued behind 1000 or more older tasks of persona writer.",
  ],
  [
    "an attempt that starts",
    facts({ state: "claimed", attempt: 1 }, { leaseUntil: NOW + 30_000 }),
    idle,
    "Starting: attempt 1 of 3 has been claimed, under a lease for another 30 s.",
  ],
  [
    "a run",
    facts({ state: "processing", attempt: 2, updatedAt: NOW - 5000 }, { leaseUntil: NOW + 20_000 }),
    idle,
    "Running: attempt 2 of 3, last progress 5 s ago, under a lease for another 20 s.",
  ],
  [
    "a worker that is gone",
    facts({ state: "processing", attempt: 1 }, { leaseUntil: NOW - 2000 }),
    idle,
    "Its worker has not been heard of: the lease of attempt 1 of 3 ended 2 s ago, and the task is about to be taken back.",
  ],
  [
    "a question",
    facts({ state: "waiting", waitingFor: "input" }),
    idle,
    'Waiting for an answer: `nuncio task answer t1 "…"`.',
  ],
  [
    "a question that it relays",
    facts({ state: "waiting", waitingFor: "input", askingChildId: "t9" }),
    idle,
    'Waiting for an answer to delegated task t9: `nuncio task answer t1 "…"`.',
  ],
  [
    "credentials",
    facts({ state: "waiting", waitingFor: "auth" }),
    idle,
    'Waiting for credentials or a permission: `nuncio task answer t1 "…"`.',
  ],
  [
    "an approval",
    facts({ state: "waiting", waitingFor: "approval" }, { approvals: [approval("a1")] }),
    idle,
    "Waiting for the operator to approve a call of net_http, for another 5 min: `nuncio approval show a1`, then `nuncio approval approve a1` or `nuncio approval deny a1`.",
  ],
  [
    "several approvals, of steps that only ask",
    facts({ state: "waiting", waitingFor: "approval" }, { approvals: [approval("a1", "approve"), approval("a2")] }),
    idle,
    "Waiting for the operator to approve (and 1 more), for another 5 min: `nuncio approval show a1`, then `nuncio approval approve a1` or `nuncio approval deny a1`.",
  ],
  [
    "a reply of one that waits for an approval",
    facts(
      { state: "waiting", waitingFor: "reply" },
      { awaited: [child("t2", { state: "waiting", waitingFor: "approval" })], approvals: [approval("a1")] },
    ),
    idle,
    "Waiting for the reply of researcher (task t2, waiting for approval). The operator has to approve a call of net_http, for another 5 min: `nuncio approval show a1`, then `nuncio approval approve a1` or `nuncio approval deny a1`.",
  ],
  [
    "a reply",
    facts({ state: "waiting", waitingFor: "reply" }, { awaited: [child("t2")], wakeAt: NOW + 300_000 }),
    idle,
    "Waiting for the reply of researcher (task t2, processing), for another 5 min at most.",
  ],
  [
    "several replies",
    facts(
      { state: "waiting", waitingFor: "reply" },
      { awaited: ["a", "b", "c", "d"].map((id) => child(id, { state: "pending" })) },
    ),
    idle,
    "Waiting for the replies of 4 delegated tasks: researcher (task a, pending), researcher (task b, pending), researcher (task c, pending) and 1 more.",
  ],
  [
    "replies that are there",
    facts({ state: "waiting", waitingFor: "reply" }),
    idle,
    "Waiting for delegated work that has ended; it goes on at once.",
  ],
  [
    "somebody outside",
    facts({ state: "waiting", waitingFor: "reply" }, { wakeAt: NOW + 3000 }),
    idle,
    "Waiting for a persona that is busy (a2a.maxConcurrentPerTarget), or for an agent outside; it looks again in 3 s.",
  ],
  [
    "an agent outside",
    facts({ state: "waiting", waitingFor: "reply" }, { wakeAt: NOW + 3000 }),
    { ...idle, outside: ["https://agents.example.com/research"] },
    "Waiting for the agent at https://agents.example.com/research; it looks again in 3 s.",
  ],
  [
    "several agents outside",
    facts({ state: "waiting", waitingFor: "reply" }, { wakeAt: NOW + 3000 }),
    { ...idle, outside: ["https://a.example/", "https://b.example/", "https://c.example/"] },
    "Waiting for the agent at https://a.example/ and 2 more; it looks again in 3 s.",
  ],
];

describe("why", () => {
  it.each(TABLE)("X17 names %s", (_title, queue, worker, sentence) => {
    expect(why(queue, worker, NOW)).toBe(sentence);
  });

  it("X17 has a sentence for every unfinished state and none for the others", () => {
    for (const state of TASK_STATES) {
      const sentence = why(facts({ state, waitingFor: state === "waiting" ? "reply" : null }), idle, NOW);
      if ((TERMINAL_STATES as readonly string[]).includes(state)) expect(sentence).toBeNull();
      else expect(sentence).toMatch(/\.$/);
    }
  });

  it("X17 names what gives way last: its own backoff before its place, a draining daemon before everything", () => {
    const late = facts({ attempt: 1, runAt: NOW + 1000 }, { behind: task({ id: "t0" }), ahead: 2 });
    expect(why(late, idle, NOW)).toContain("attempt 2 of 3");
    expect(why(late, { ...idle, draining: true }, NOW)).toContain("shutting down");
  });
});
