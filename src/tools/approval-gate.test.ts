import { describe, expect, it } from "vitest";
import { z } from "zod";
import { TestHouse, type TestTask, testPersona } from "../../test/support/test-house.js";
import { PersonaRegistry } from "../personas/registry.js";
import { approvalDigest } from "../tasks/approval-digest.js";
import type { ApprovalDecision, NewApproval } from "../tasks/approval-ledger.js";
import type { ToolOutcome } from "../tasks/runner.js";
import { ToolCatalog } from "./catalog.js";
import { hostTool, result } from "./host-tool.js";
import { toolBoxFactory } from "./tool-box.js";

const careful = testPersona("careful", { capabilities: { allow: ["net.http"], requireApproval: ["net.http"] } });
const free = testPersona("free", { capabilities: { allow: ["net.http"], requireApproval: ["channel.send:*"] } });

/** A tool behind `net.http` that counts what it has done. */
function setUp({ idempotent = false } = {}) {
  const house = new TestHouse([careful, free]);
  const did: unknown[] = [];
  const fetchIt = hostTool({
    name: "net_http",
    description: "fetches",
    args: z.strictObject({ url: z.string(), method: z.string().default("GET") }),
    offeredTo: () => true,
    needs: "net.http",
    idempotent,
    capability: () => "net.http",
    run: async (args) => {
      did.push(args);
      return result({ status: 200 });
    },
  });
  const tools = new ToolCatalog([fetchIt]);
  const box = toolBoxFactory(tools, new PersonaRegistry([careful, free]), house.desk);
  return { house, did, box, tools };
}

function asked(outcome: ToolOutcome): NewApproval {
  if (outcome.type !== "approval") throw new Error(`not an approval: ${JSON.stringify(outcome)}`);
  return outcome.request;
}

/** What the ledger knows after the task has parked, and the operator has decided. */
function decide(
  house: TestHouse,
  task: TestTask,
  request: NewApproval,
  decision: ApprovalDecision | null,
  reason = "",
) {
  const { id: taskId, tenant, rootId, persona } = task.row;
  house.approvals.set([taskId, request.callId, request.digest].join("/"), {
    ...{ ...request, id: "a1", tenant, taskId, rootId, persona, createdAt: house.now },
    ...{ decision, reason: reason === "" ? null : reason, decidedAt: house.now },
  });
}

const args = { url: "https://example.com" };

describe("a call of a tool whose capability requires an approval", () => {
  it("does nothing, and asks for exactly the tool and its arguments, defaults included", async () => {
    const { house, did, box } = setUp();
    const task = house.task("careful", "go");
    const outcome = await box(task.attempt()).call("net_http", args, "c1");
    const exactly = { url: "https://example.com", method: "GET" };
    expect(asked(outcome)).toEqual({
      ...{ callId: "c1", tool: "net_http", arguments: exactly },
      digest: approvalDigest("net_http", { method: "GET", url: "https://example.com" }),
      expiresAt: house.now + 60_000,
    });
    expect(outcome).toMatchObject({ until: house.now + 60_000 });
    expect(did).toEqual([]);
    expect(task.steps).toEqual([]);
  });

  it("is made when it was approved, once, also when attempts die around it", async () => {
    const { house, did, box } = setUp();
    const task = house.task("careful", "go");
    decide(house, task, asked(await box(task.attempt()).call("net_http", args, "c1")), "approved");
    // Died before the call: its start was never recorded.
    task.attempt();
    const attempt = task.attempt();
    expect(await box(attempt).call("net_http", args, "c1")).toMatchObject({ value: { status: 200 }, isError: false });
    // Died before the result was recorded.
    expect(await box(task.attempt()).call("net_http", args, "c1")).toMatchObject({
      value: { reason: "OUTCOME_UNKNOWN" },
    });
    attempt.commit();
    expect(await box(task.attempt()).call("net_http", args, "c1")).toMatchObject({ value: { status: 200 } });
    expect(did).toHaveLength(1);
  });

  it.each([
    ["other arguments", { url: "https://example.com/other" }, "c1"],
    ["another call", args, "c2"],
  ])("the approval is not good for %s", async (_what, others, callId) => {
    const { house, did, box } = setUp({ idempotent: true });
    const task = house.task("careful", "go");
    decide(house, task, asked(await box(task.attempt()).call("net_http", args, "c1")), "approved");
    expect(await box(task.attempt()).call("net_http", others, callId)).toMatchObject({ type: "approval" });
    expect(did).toEqual([]);
  });

  it("a repeated call with other arguments is not covered by what the first was approved for", async () => {
    const { house, did, box } = setUp({ idempotent: true });
    const task = house.task("careful", "go");
    decide(house, task, asked(await box(task.attempt()).call("net_http", args, "c1")), "approved");
    await box(task.attempt()).call("net_http", args, "c1");
    expect(await box(task.attempt()).call("net_http", { url: "https://evil.example" }, "c1")).toMatchObject({
      type: "approval",
    });
    expect(did).toEqual([{ ...args, method: "GET" }]);
  });

  it.each([
    ["denied", "not today", "net_http was not called: the operator has denied it: not today"],
    ["denied", "", "net_http was not called: the operator has denied it"],
    ["expired", "", "net_http was not called: nobody approved it in time"],
  ] as const)("%s with %j is an error result that says so", async (decision, reason, error) => {
    const { house, did, box } = setUp();
    const task = house.task("careful", "go");
    decide(house, task, asked(await box(task.attempt()).call("net_http", args, "c1")), decision, reason);
    const value = { error, decision, reason: reason === "" ? null : reason };
    expect(await box(task.attempt()).call("net_http", args, "c1")).toMatchObject({ isError: true, value });
    expect(did).toEqual([]);
  });

  it("keeps the time that it was given when it was first asked for", async () => {
    const { house, box } = setUp();
    const task = house.task("careful", "go");
    const first = asked(await box(task.attempt()).call("net_http", args, "c1"));
    decide(house, task, first, null);
    house.now += 1000;
    expect(asked(await box(task.attempt()).call("net_http", args, "c1"))).toEqual(first);
  });

  it("is not asked for without need: wrong arguments, no such requirement", async () => {
    const { house, did, box } = setUp();
    expect(await box(house.task("careful", "go").attempt()).call("net_http", { url: 1 }, "c1")).toMatchObject({
      isError: true,
      value: { field: "url" },
    });
    expect(await box(house.task("free", "go").attempt()).call("net_http", args, "c1")).toMatchObject({
      isError: false,
    });
    expect(did).toHaveLength(1);
  });

  const relaxed = { ...careful, capabilities: { allow: ["net.http"], requireApproval: [] } };
  it.each([
    ["approved", true],
    ["denied", false],
    ["expired", false],
    [null, true],
  ] as const)("that was asked for, and is not required any more by then: %s counts", async (decision, made) => {
    const { house, did, box, tools } = setUp();
    const task = house.task("careful", "go");
    const attempt = task.attempt();
    decide(house, task, asked(await box(attempt).call("net_http", args, "c1")), decision);
    attempt.commit();
    const later = toolBoxFactory(tools, new PersonaRegistry([relaxed]), house.desk)(task.attempt());
    expect(await later.call("net_http", args, "c1")).toMatchObject({ isError: !made });
    expect(did).toHaveLength(made ? 1 : 0);
    // Nobody was asked about this one.
    expect(await later.call("net_http", args, "c2")).toMatchObject({ isError: false });
  });

  it("that was withdrawn for another one is asked for again", async () => {
    const { house, did, box } = setUp();
    const task = house.task("careful", "go");
    decide(house, task, asked(await box(task.attempt()).call("net_http", args, "c1")), "canceled");
    expect(await box(task.attempt()).call("net_http", args, "c1")).toMatchObject({ type: "approval" });
    expect(did).toEqual([]);
  });

  it("arguments that cannot be written down exactly are refused", async () => {
    const { house, did, box } = setUp();
    const outcome = await box(house.task("careful", "go").attempt()).call("net_http", { url: "\ud800" }, "c1");
    expect(outcome).toMatchObject({ isError: true, value: { error: expect.stringContaining("not Unicode") } });
    expect(did).toEqual([]);
  });
});

describe("a question that no tool is behind", () => {
  it.each([
    ["approved", "go ahead", { decision: "approved", reason: "go ahead" }, false],
    ["denied", "too dear", { error: "the operator has denied it: too dear", decision: "denied" }, true],
    ["expired", "", { error: "nobody approved it in time", decision: "expired" }, true],
  ] as const)("%s", async (decision, reason, value, isError) => {
    const { house, box } = setUp();
    const task = house.task("free", "go");
    const request = asked(await box(task.attempt()).approve("spend 5?", "c1"));
    expect(request).toMatchObject({ tool: "approve", arguments: { text: "spend 5?" } });
    decide(house, task, request, decision, reason);
    const attempt = task.attempt();
    const outcome = await box(attempt).approve("spend 5?", "c1");
    expect(outcome).toMatchObject({ type: "result", value, isError });
    attempt.commit();
    house.approvals.clear();
    expect(await box(task.attempt()).approve("spend 5?", "c1")).toEqual(outcome);
  });

  it("in the place of one that was answered, with another text, is another question", async () => {
    const { house, box } = setUp();
    const task = house.task("free", "go");
    decide(house, task, asked(await box(task.attempt()).approve("spend 5?", "c1")), "approved");
    const attempt = task.attempt();
    await box(attempt).approve("spend 5?", "c1");
    attempt.commit();
    expect(asked(await box(task.attempt()).approve("spend 500?", "c1")).arguments).toEqual({ text: "spend 500?" });
  });

  it("in the place of a call, or a call in its place, is answered by none of the other's results", async () => {
    const { house, did, box } = setUp();
    const task = house.task("free", "go");
    decide(house, task, asked(await box(task.attempt()).approve("sure?", "c1")), "approved");
    const attempt = task.attempt();
    await box(attempt).approve("sure?", "c1");
    await box(attempt).call("net_http", args, "c2");
    attempt.commit();
    expect(await box(task.attempt()).approve("sure?", "c2")).toMatchObject({ type: "approval" });
    expect(await box(task.attempt()).call("net_http", args, "c1")).toMatchObject({ value: { status: 200 } });
    expect(did).toHaveLength(2);
  });

  it("a question that nobody would read is refused", async () => {
    const { house, box } = setUp();
    const outcome = await box(house.task("free", "go").attempt()).approve("x".repeat(70_000), "c1");
    expect(outcome).toMatchObject({ isError: true });
  });
});
