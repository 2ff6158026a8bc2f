import { describe, expect, test } from "vitest";
import { peerPersona } from "../plans/assignment.js";
import type { PlanStore } from "../plans/plan-store.js";
import { newId } from "../shared/ids.js";
import type { Lease, TaskLedger } from "../tasks/ledger.js";
import type { Message } from "../tasks/message.js";
import type { Dispatch, DispatchResult } from "./dispatch.js";
import { ANSWERED, type NewFact, type PeerStore, type SettleSend } from "./peer-store.js";

interface Stores {
  peers: PeerStore;
  plans: PlanStore;
  ledger: TaskLedger;
}

const NOW = 1_800_000_000_000;
const DONE = "TASK_STATE_COMPLETED";
const WORKING = "TASK_STATE_WORKING";
const ASKING = "TASK_STATE_INPUT_REQUIRED";
const RESULT: DispatchResult = {
  artifacts: [{ name: "report", digest: "sha256:1", bytes: 9, parts: [{ text: "all well" }] }],
  message: "done",
  leftOut: [],
};

/** What every store of dispatches must do, on whatever it stands: each implementation runs this suite. */
export function describePeerStore(name: string, open: () => Promise<Stores & { close(): Promise<void> }>): void {
  const it = test.extend<{ house: House }>({
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures this one needs
    house: async ({}, use: (house: House) => Promise<void>) => {
      const { close, ...stores } = await open();
      const house = new House(stores);
      await use(house);
      await house.checkReceipts();
      await close();
    },
  });

  describe(name, () => {
    it("P13 a run takes a slot of its peer, and of that peer alone; a busy one is refused and nothing is made", async ({
      house,
    }) => {
      const first = await house.begin({ peer: "reviewer" });
      await expect(house.begin({ peer: "reviewer" })).rejects.toMatchObject({
        code: "limit_reached",
        reason: "PEER_BUSY",
      });
      expect(await house.tasksOf("reviewer")).toEqual([first.taskId]);
      await house.begin({ peer: "other" });
      await house.begin({ peer: "reviewer", slots: 2 });
      expect((await house.peers.holding("reviewer")).map(({ taskId }) => taskId)).toContain(first.taskId);
      expect(await house.peers.holding()).toHaveLength(3);
    });

    it("P13 of two runs that come at the same time for the last slot there is one", async ({ house }) => {
      const begun = await Promise.allSettled([house.begin({ tenant: "a" }), house.begin({ tenant: "b" })]);
      expect(begun.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    });

    it("P10 begins prepared, with nothing observed", async ({ house }) => {
      const child = await house.begin({ deadlineAt: NOW + 9 });
      expect(await house.dispatch(child)).toMatchObject({
        ...{ state: "prepared", revision: 1, remoteTaskId: null, remote: null, result: null, sends: [] },
        ...{ holdsSlot: true, lastContactAt: null, pinDigest: "sha256:pin" },
        facts: {
          ...{ remoteTerminal: null, localCleanup: null, cancelAcknowledgement: null, streamClosed: null },
          localDeadline: { at: NOW + 9, passedAt: null },
        },
      });
      expect(await house.kinds(child)).toEqual(["prepared"]);
      expect(await house.peers.dispatch("elsewhere", child.taskId)).toBeNull();
    });

    it("P9 P10 the intent, the invocation and the receipt come together, once per turn", async ({ house }) => {
      const child = await house.begin();
      expect(await house.intend(child)).toBe(true);
      expect(await house.intend(child)).toBe(false);
      expect(await house.used(child)).toEqual([1, 1]);
      expect(await house.dispatch(child)).toMatchObject({
        state: "sending",
        sends: [
          { turn: 1, messageId: "m-1", state: "sending", disclosed: [{ path: "a.ts", bytes: 3 }], settledAt: null },
        ],
      });
      expect(await house.kinds(child)).toEqual(["prepared", "intended"]);
    });

    it("P10 of two intents at the same time one may send", async ({ house }) => {
      const child = await house.begin();
      const intended = await Promise.all([house.intend(child), house.intend(child)]);
      expect(intended.sort()).toEqual([false, true]);
      expect(await house.used(child)).toEqual([1, 1]);
    });

    it("P9 without an allowance nothing is intended, and nothing counted", async ({ house }) => {
      const child = await house.begin({ invocations: 1 });
      await house.plans.takeInvocation({ tenant: child.tenant, childId: child.taskId, now: NOW });
      await expect(house.intend(child)).rejects.toMatchObject({ reason: "ALLOWANCE_USED_UP" });
      expect(await house.dispatch(child)).toMatchObject({ state: "prepared", revision: 1, sends: [] });
      expect(await house.used(child)).toEqual([1, 1]);
    });

    it("P10 an attempt that has lost its task, to a cancel or to another one, intends nothing", async ({ house }) => {
      const canceled = await house.begin({ peer: "one" });
      await house.cancel(canceled);
      await expect(house.intend(canceled)).rejects.toMatchObject({ code: "lease_lost" });
      const late = await house.begin({ peer: "two" });
      const { lease } = late;
      await expect(house.intend({ ...late, lease: { ...lease, fence: lease.fence - 1 } })).rejects.toMatchObject({
        code: "lease_lost",
      });
      expect(await house.used(canceled)).toEqual([0, 0]);
      expect(await house.used(late)).toEqual([0, 0]);
    });

    it.for<[SettleSend["outcome"], Partial<Dispatch>]>([
      [accepted("r-1", "c-1"), { state: "accepted", remoteTaskId: "r-1", remoteContextId: "c-1", holdsSlot: true }],
      [
        { type: "refused", error: "no" },
        { state: "refused", remoteTaskId: null, holdsSlot: false, lastError: "no" },
      ],
      [
        { type: "unknown", error: "cut" },
        { state: "unknown", remoteTaskId: null, holdsSlot: true, lastError: "cut" },
      ],
    ])("P10 a send is settled as %j, and stays so", async ([outcome, known], { house }) => {
      const child = await house.sent(outcome);
      expect(await house.dispatch(child)).toMatchObject({ ...known, sends: [{ state: outcome.type }] });
      const settled = await house.dispatch(child);
      for (const late of [accepted("r-2", null), { type: "refused", error: "late" } as const]) {
        await house.settle(child, late);
      }
      expect(await house.dispatch(child)).toEqual(settled);
      expect(await house.kinds(child)).toEqual(["prepared", "intended", outcome.type, "late_answer", "late_answer"]);
      expect(await house.intend(child, 2)).toBe(outcome.type === "accepted");
    });

    it("P10 ids that are known are not replaced: an answer with others leaves the send unknown", async ({ house }) => {
      const child = await house.sent(accepted("r-1", "c-1"));
      await house.intend(child, 2);
      await house.settle(child, accepted("r-2", "c-1"), 2);
      expect(await house.dispatch(child)).toMatchObject({
        ...{ state: "unknown", remoteTaskId: "r-1", remoteContextId: "c-1", holdsSlot: true },
        sends: [{ state: "accepted" }, { state: "unknown" }],
      });
      expect((await house.receipts(child)).at(-1)).toMatchObject({
        kind: "ids_refused",
        facts: { known: "r-1", remoteTaskId: "r-2" },
      });
      expect(await house.intend(child, 3)).toBe(false);
    });

    it("P14 a refused answer leaves what was taken up before", async ({ house }) => {
      const child = await house.sent(accepted("r-1", null));
      await house.intend(child, 2);
      await house.settle(child, { type: "refused", error: "no" }, 2);
      expect(await house.dispatch(child)).toMatchObject({ state: "accepted", holdsSlot: true, remoteTaskId: "r-1" });
      expect(await house.used(child)).toEqual([2, 2]);
    });

    it("P11 an answer by a message alone is the end of it, in the same transaction", async ({ house }) => {
      const child = await house.sent({ ...accepted(null, "c-1"), answer: RESULT });
      expect(await house.dispatch(child)).toMatchObject({
        ...{ state: "accepted", remoteTaskId: null, holdsSlot: false, result: RESULT },
        facts: { remoteTerminal: { state: ANSWERED, at: NOW } },
      });
    });

    it("P13 a remote end frees the slot, holds the result, and never changes", async ({ house }) => {
      const child = await house.sent(accepted("r-1", null));
      expect(await house.note(child, remote(WORKING))).toBe(true);
      expect(await house.note(child, remote(WORKING))).toBe(false);
      const { revision } = await house.dispatch(child);
      expect(await house.note(child, { type: "remote", state: DONE, ended: true, result: RESULT })).toBe(true);
      const ended = await house.dispatch(child);
      expect(ended).toMatchObject({
        ...{ revision: revision + 1, holdsSlot: false, result: RESULT, lastContactAt: NOW },
        facts: { remoteTerminal: { state: DONE, at: NOW }, localCleanup: null, cancelAcknowledgement: null },
      });
      for (const state of [WORKING, "TASK_STATE_FAILED", DONE]) {
        expect(await house.note(child, { type: "remote", state, ended: state !== WORKING, result: null })).toBe(false);
      }
      expect(await house.dispatch(child)).toEqual(ended);
      const kinds = ["prepared", "intended", "accepted", "remote_state", "remote_ended", "late_state", "late_state"];
      expect(await house.kinds(child)).toEqual(kinds);
      const receipt = (await house.receipts(child)).find(({ kind }) => kind === "remote_ended");
      expect(receipt?.facts).toEqual({
        state: DONE,
        artifacts: [{ digest: "sha256:1", bytes: 9, parts: 1 }],
        leftOut: 0,
      });
    });

    it.for<[NewFact, keyof Dispatch["facts"], unknown]>([
      [{ type: "local_ended" }, "localCleanup", { at: NOW }],
      [
        { type: "cancel_asked", again: false },
        "cancelAcknowledgement",
        { askedAt: NOW, answer: null, answeredAt: null },
      ],
      [{ type: "stream_opened" }, "streamClosed", { openedAt: NOW, closedAt: null, end: null }],
      [{ type: "deadline_passed" }, "localDeadline", { at: NOW + 9, passedAt: NOW }],
    ])(
      "P13 the fact %j says nothing about the other four, and frees no slot",
      async ([fact, field, value], { house }) => {
        const child = await house.sent(accepted("r-1", null), { deadlineAt: NOW + 9 });
        const before = await house.dispatch(child);
        expect(await house.note(child, fact)).toBe(true);
        const after = await house.dispatch(child);
        expect(after.facts).toEqual({ ...before.facts, [field]: value });
        expect(after.holdsSlot).toBe(true);
        expect(await house.note(child, fact)).toBe(false);
        expect(await house.dispatch(child)).toEqual(after);
      },
    );

    it("P13 a cancel is answered once, and asked again only where nobody has answered", async ({ house }) => {
      const child = await house.sent(accepted("r-1", null));
      expect(await house.note(child, { type: "cancel_answered", answer: "what?" })).toBe(false);
      await house.note(child, { type: "cancel_asked", again: false });
      expect(await house.note(child, { type: "cancel_asked", again: true })).toBe(true);
      expect(await house.note(child, { type: "cancel_answered", answer: "TASK_STATE_CANCELED" })).toBe(true);
      expect(await house.note(child, { type: "cancel_answered", answer: "other" })).toBe(false);
      expect(await house.note(child, { type: "cancel_asked", again: true })).toBe(false);
      const { facts, holdsSlot } = await house.dispatch(child);
      expect(facts.cancelAcknowledgement).toMatchObject({ answer: "TASK_STATE_CANCELED" });
      expect(facts.remoteTerminal).toBeNull();
      expect(holdsSlot).toBe(true);
    });

    it("P13 a stream closes once; the operator frees a slot once; nothing sent holds none", async ({ house }) => {
      const child = await house.sent(accepted("r-1", null));
      expect(await house.note(child, { type: "stream_closed", end: "cut" })).toBe(false);
      await house.note(child, { type: "stream_opened" });
      expect(await house.note(child, { type: "stream_closed", end: "cut" })).toBe(true);
      expect(await house.note(child, { type: "stream_closed", end: "later" })).toBe(false);
      expect(await house.note(child, { type: "slot_released", why: "asked them" })).toBe(true);
      expect(await house.note(child, { type: "slot_released", why: "again" })).toBe(false);
      const never = await house.begin();
      await house.note(never, { type: "local_ended" });
      expect(await house.peers.holding("reviewer")).toEqual([]);
    });

    it("P10 a contact that fails in the same way again is no news, and one that succeeds ends the trouble", async ({
      house,
    }) => {
      const child = await house.sent(accepted("r-1", null));
      const { revision } = await house.dispatch(child);
      expect(await house.note(child, { type: "contact_failed", error: "away" })).toBe(true);
      expect(await house.note(child, { type: "contact_failed", error: "away" })).toBe(false);
      expect(await house.dispatch(child)).toMatchObject({ lastError: "away", revision });
      await house.note(child, remote(WORKING));
      expect((await house.dispatch(child)).lastError).toBeNull();
    });

    it("P14 an answer names what was looked at, and wakes the task with it", async ({ house }) => {
      const child = await house.asking();
      const { revision } = await house.dispatch(child);
      await expect(house.answer(child, revision - 1)).rejects.toMatchObject({
        code: "conflict",
        reason: "DISPATCH_REVISION_STALE",
      });
      expect(await house.dispatch(child)).toMatchObject({ revision });
      expect((await house.answer(child, revision)).revision).toBe(revision + 1);
      expect(await house.task(child)).toMatchObject({ state: "pending", turn: 2 });
      await expect(house.answer(child, revision)).rejects.toMatchObject({ reason: "DISPATCH_REVISION_STALE" });
      await expect(house.answer(child, revision + 1)).rejects.toMatchObject({ code: "failed_precondition" });
      expect(await house.used(child)).toEqual([1, 1]);
      expect((await house.kinds(child)).filter((kind) => kind === "answer_given")).toHaveLength(1);
    });

    it("P14 without an allowance, after the end and after the deadline there is no answer", async ({ house }) => {
      const spent = await house.asking({ peer: "a", invocations: 1 });
      await expect(house.answer(spent)).rejects.toMatchObject({ reason: "ALLOWANCE_USED_UP" });
      const ended = await house.asking({ peer: "b" });
      await house.note(ended, { type: "remote", state: DONE, ended: true, result: null });
      await expect(house.answer(ended)).rejects.toMatchObject({ reason: "PEER_NOT_ASKING" });
      const late = await house.asking({ peer: "c", deadlineAt: NOW });
      await expect(house.answer(late)).rejects.toMatchObject({ reason: "DEADLINE_PASSED" });
      for (const child of [spent, ended, late]) expect(await house.task(child)).toMatchObject({ state: "waiting" });
    });

    it("P5 knows when each peer was last heard of", async ({ house }) => {
      await house.sent(accepted("r-1", null), { peer: "b" });
      await house.begin({ peer: "a" });
      expect(await house.peers.lastContacts()).toEqual(new Map([["b", NOW]]));
    });
  });
}

const accepted = (remoteTaskId: string | null, remoteContextId: string | null) =>
  ({ type: "accepted", remoteTaskId, remoteContextId, answer: null }) as const;

const remote = (state: string): NewFact => ({ type: "remote", state, ended: false, result: null });

interface Child {
  tenant: string;
  taskId: string;
  assignmentId: string;
  lease: Lease;
}

interface Begin {
  tenant?: string;
  peer?: string;
  slots?: number;
  invocations?: number;
  deadlineAt?: number | null;
}

class House {
  readonly peers: PeerStore;
  readonly plans: PlanStore;
  readonly #ledger: TaskLedger;
  readonly #children: Child[] = [];

  constructor({ peers, plans, ledger }: Stores) {
    this.peers = peers;
    this.plans = plans;
    this.#ledger = ledger;
  }

  /** An assignment to the peer, its run, and the attempt that works on that. */
  async begin(begin: Begin = {}): Promise<Child> {
    const { tenant = "acme", peer = "reviewer", slots = 1, invocations = 3, deadlineAt = null } = begin;
    const [planId, assignmentId] = [newId(), newId()];
    await this.plans.create({
      ...{ id: planId, tenant, workspace: "/nowhere", snapshotDigest: "sha256:0", files: [], contents: new Map() },
      plan: {
        ...{ title: "a plan", steps: [{ id: "read", instruction: "read it", files: [], needs: [] }] },
        checks: [{ name: "green", command: "true", args: [], timeoutMs: 1000 }],
        limits: { invocations: 9, tokenUnits: null },
      },
      now: NOW,
    });
    await this.plans.assign({
      ...{ tenant, planId, revision: 1, id: assignmentId, step: "read", invocations, now: NOW },
      profile: { name: "nuncio/reviewer", kind: "analysis", text: "Look at it." },
      assignee: { runtime: "peer", peer },
    });
    const persona = peerPersona(peer);
    const { child } = await this.plans.run({
      ...{ tenant, planId, assignmentId, revision: 2, generation: 0, now: NOW },
      submit: {
        ...{ contextId: newId(), newContext: true, persona, principal: "operator", trigger: "plan", lane: null },
        ...{ message: says("read it"), bodyHash: newId(), now: NOW, maxAttempts: 3 },
      },
      dispatch: { peer, runId: newId(), pinDigest: "sha256:pin", slots, deadlineAt },
    });
    const { claims } = await this.#ledger.system.claim({
      ...{ owner: "worker", leaseMs: 60_000, now: NOW, latestRunAt: NOW + 60_000, limit: 100 },
      personas: [{ tenant, name: persona, free: 100 }],
    });
    const lease = claims.find((claim) => claim.lease.taskId === child.id)?.lease as Lease;
    const made = { tenant, taskId: child.id, assignmentId, lease };
    this.#children.push(made);
    return made;
  }

  async sent(outcome: SettleSend["outcome"], begin?: Begin): Promise<Child> {
    const child = await this.begin(begin);
    await this.intend(child);
    await this.settle(child, outcome);
    return child;
  }

  /** The peer asks, and our task waits for the operator. */
  async asking(begin?: Begin): Promise<Child> {
    const child = await this.sent(accepted("r-1", null), begin);
    await this.note(child, remote(ASKING));
    await this.#ledger.system.settle({
      ...{ lease: child.lease, now: NOW, start: true, facts: [], steps: [], inputTokens: 0, outputTokens: 0 },
      ...{ outcome: { type: "asked", waitingFor: "input", message: says("which?") }, artifacts: [] },
    });
    return child;
  }

  intend({ lease }: Child, turn = 1): Promise<boolean> {
    const disclosed = [{ path: "a.ts", digest: "sha256:a", bytes: 3 }];
    return this.peers.intend({ lease, turn, messageId: `m-${turn}`, bodyDigest: "sha256:b", disclosed, now: NOW });
  }

  settle({ tenant, taskId }: Child, outcome: SettleSend["outcome"], turn = 1): Promise<Dispatch> {
    return this.peers.settleSend({ tenant, taskId, turn, outcome, now: NOW });
  }

  async note({ tenant, taskId }: Child, fact: NewFact): Promise<boolean> {
    const { dispatch, noted } = await this.peers.note({ tenant, taskId, fact, now: NOW });
    expect(dispatch).toEqual(await this.peers.dispatch(tenant, taskId));
    return noted;
  }

  async answer(child: Child, revision?: number): Promise<Dispatch> {
    const { tenant, taskId } = child;
    return this.peers.answer({
      ...{ tenant, taskId, message: says("this one"), principal: "operator", bodyHash: newId(), now: NOW },
      revision: revision ?? (await this.dispatch(child)).revision,
    });
  }

  async dispatch({ tenant, taskId }: Child): Promise<Dispatch> {
    return (await this.peers.dispatch(tenant, taskId)) as Dispatch;
  }

  receipts = ({ tenant, taskId }: Child) => this.peers.receipts(tenant, taskId);
  kinds = async (child: Child) => (await this.receipts(child)).map(({ kind }) => kind);
  task = ({ tenant, taskId }: Child) => this.#ledger.forTenant(tenant).task(taskId);
  cancel = ({ tenant, taskId }: Child) => this.#ledger.forTenant(tenant).cancel({ taskId, reason: "enough", now: NOW });

  async tasksOf(peer: string): Promise<string[]> {
    const { items } = await this.#ledger.system.list({ persona: peerPersona(peer), limit: 100 });
    return items.map(({ id }) => id);
  }

  /** Of the assignment and of the plan. */
  async used({ assignmentId }: Child): Promise<unknown[]> {
    const found = await this.plans.assignment(assignmentId);
    return [found?.assignment.invocationsUsed, found?.plan.invocationsUsed];
  }

  /** Whatever a test has done, receipts are numbered from 1 without gaps. */
  async checkReceipts(): Promise<void> {
    for (const child of this.#children) {
      const numbers = (await this.receipts(child)).map(({ number }) => number);
      expect(numbers).toEqual(numbers.map((_, at) => at + 1));
    }
  }
}

const says = (text: string): Message => ({ messageId: newId(), role: "user", parts: [{ text }] });
