import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { QueueRoom } from "../store/ledger/queue-room.js";
import { sqlPlanStore } from "../store/plans/plan-store.js";
import { openSqlite } from "../store/sqlite/open-sqlite.js";
import type { Plan } from "./plan.js";
import { PlannedTasks, type PlannedTasksParts } from "./planned-tasks.js";

const NEVER = new AbortController().signal;
const PLAN: Plan = {
  title: "t",
  steps: [{ id: "read", instruction: "Read.", files: ["a.txt"], needs: [], persona: "analyst" }],
  checks: [{ name: "check", command: "true", args: [], timeoutMs: 1000 }],
  limits: { invocations: 2, tokenUnits: null },
};

/** A desk on a real store, with one planned task whose step is assigned. */
async function assigned(over: Partial<PlannedTasksParts> = {}, runtime = "native") {
  const database = openSqlite(":memory:");
  const workspace = mkdtempSync(join(tmpdir(), "nuncio-desk-"));
  writeFileSync(join(workspace, "a.txt"), "a");
  onTestFinished(async () => {
    await database.close();
    rmSync(workspace, { recursive: true });
  });
  const parts: PlannedTasksParts = {
    store: sqlPlanStore(database, new QueueRoom()),
    clock: { now: () => 1_800_000_000_000 },
    parsePlan: () => ({ plan: PLAN, ignore: [] }),
    profiles: () => [],
    hosts: () => true,
    peerOf: () => ({ pinDigest: "sha256:pin", slots: 1 }),
    runCheck: async ({ name }) => ({ name, green: true, exitCode: 0, ms: 1, output: "" }),
    excluded: [],
    fence: (text) => text,
    newNonce: () => "nonce",
    newTasks: () => ({ maxAttempts: 1, bounds: { perPersona: 10, perTenant: 10 } }),
    ...over,
  };
  const desk = new PlannedTasks(parts);
  const { plan } = await desk.create({ text: "", file: "P.yaml", workspace, tenant: "default" });
  const given = { planId: plan.id, step: "read", profile: "nuncio/reviewer", runtime, invocations: 1, revision: 1 };
  const { assignment } = await desk.assign(given);
  return { desk, parts, plan, run: { planId: plan.id, assignmentId: assignment.id, generation: 0, revision: 2 } };
}

it("P8 nothing is run for a persona that is hosted no more, or a peer that is pinned no more", async () => {
  const native = await assigned();
  native.parts.hosts = () => false;
  await expect(native.desk.run(native.run)).rejects.toMatchObject({ reason: "PERSONA_NOT_HOSTED" });
  const peer = await assigned({}, "reviewer");
  peer.parts.peerOf = () => undefined;
  await expect(peer.desk.run(peer.run)).rejects.toMatchObject({ reason: "PEER_NOT_PINNED" });
  for (const { desk, plan } of [native, peer]) expect((await desk.show(plan.id)).assignments[0]?.runs).toEqual([]);
});

it("P6 a task for a peer is given no file of the step: what a peer may see stands in its pin", async () => {
  const { desk, parts, plan, run } = await assigned({}, "reviewer");
  const { child } = await desk.run({ ...run, deadlineMs: 60_000 });
  expect(child.persona).toBe("peer:reviewer");
  const found = await desk.show(plan.id);
  const submit = await desk.submission(plan, found.assignments[0] as never, { now: parts.clock.now() });
  expect(JSON.stringify(submit.message)).not.toContain("a.txt");
  expect(submit.message.parts).toHaveLength(1);
});

it("a deadline is refused where nobody would keep it", async () => {
  const { desk, run } = await assigned();
  await expect(desk.run({ ...run, deadlineMs: 1000 })).rejects.toMatchObject({ field: "deadline" });
});

it("P12 two that complete it in one process do not run the checks side by side", async () => {
  let running = 0;
  const { desk, plan, parts } = await assigned({
    async runCheck({ name }) {
      running += 1;
      await new Promise((resolve) => setImmediate(resolve));
      return { name, green: true, exitCode: 0, ms: 1, output: "" };
    },
  });
  const { assignments } = await desk.show(plan.id);
  const done = assignments.map((one) => ({
    ...one,
    runs: [{ generation: 1, childId: "c", grantId: null, at: 1, state: "completed" as const }],
  }));
  parts.store = { ...parts.store, assignments: async () => done };
  const come = [1, 2, 3].map(() => desk.complete({ planId: plan.id, revision: 2 }, NEVER).next());
  const came = await Promise.allSettled(come);
  const lost = came.filter((one) => one.status === "rejected").map(({ reason }) => reason.reason);
  expect(lost).toEqual(["PLAN_BEING_COMPLETED", "PLAN_BEING_COMPLETED"]);
  expect(running).toBe(1);
});
