import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ControlHouse, scripted, startControl } from "../../../test/support/control-house.js";
import { textOf } from "../../tasks/message.js";
import type { ApprovalJson } from "./schema/approval.js";

const SENDING = { allow: ["persona.send:*"], requireApproval: ["persona.send:echo"] };

const PERSONAS = [
  scripted("echo"),
  scripted("buyer", [{ steps: [{ approve: "buy {{input.text}}?" }, { reply: "bought {{input.text}}" }] }]),
  scripted(
    "careful",
    [
      {
        steps: [
          { send: { to: "echo", message: "{{input.text}}", await: true, as: "said" } },
          { reply: "{{results.said}}" },
        ],
      },
    ],
    { capabilities: SENDING },
  ),
  scripted("lead", [
    {
      steps: [
        { send: { to: "buyer", message: "{{input.text}}", await: true, as: "done" } },
        { reply: "{{results.done}}" },
      ],
    },
  ]),
];

let house: ControlHouse;
beforeAll(async () => {
  house = await startControl(PERSONAS);
});
afterAll(async () => {
  expect(house.faults).toEqual([]);
  await house.stop();
});

const send = async (persona: string, text: string) => (await house.client.send({ persona, text })).id;

/** Resolves when the task or one that it has delegated asks the operator. */
async function asked(rootId: string): Promise<ApprovalJson> {
  for await (const line of house.client.follow(rootId)) {
    if (line.type !== "event" || line.event.type !== "status" || line.event.waitingFor !== "approval") continue;
    const { approvals } = await house.client.approvals({ taskId: line.taskId });
    if (approvals[0] !== undefined) return approvals[0];
  }
  throw new Error(`task ${rootId} has ended without asking`);
}

async function ended(id: string) {
  for await (const _ of house.client.follow(id));
  const task = await house.client.task(id);
  const said = task.statusMessage ?? task.artifacts[0];
  return { state: task.state, text: said === undefined ? "" : textOf(said as never) };
}

describe("approvals", () => {
  it("a step that asks waits, says what would move it, and goes on when it is approved", async () => {
    const id = await send("buyer", "milk");
    const approval = await asked(id);
    expect(approval).toMatchObject({
      ...{ taskId: id, rootId: id, persona: "buyer", tool: "approve", arguments: { text: "buy milk?" } },
      ...{ digest: expect.stringMatching(/^[0-9a-f]{64}$/), decision: null, reason: null, decidedAt: null },
    });
    expect(await house.client.approval(approval.id)).toEqual(approval);
    const { why, state, waitingFor } = await house.client.task(id);
    expect({ state, waitingFor }).toEqual({ state: "waiting", waitingFor: "approval" });
    expect(why).toContain(`nuncio approval approve ${approval.id}`);
    expect(await house.client.approve(approval.id, { digest: approval.digest, reason: "fine" })).toMatchObject({
      ...{ id: approval.id, decision: "approved", reason: "fine", decidedAt: expect.any(String) },
    });
    expect(await ended(id)).toEqual({ state: "completed", text: "bought milk" });
  });

  it("denied, the task fails with the reason", async () => {
    const id = await send("buyer", "a yacht");
    const { id: approvalId } = await asked(id);
    await house.client.deny(approvalId, { reason: "too dear" });
    expect(await ended(id)).toEqual({ state: "failed", text: "the operator has denied it: too dear" });
  });

  it("a tool is called when exactly this call was approved; the child is made once", async () => {
    const id = await send("careful", "hello");
    const approval = await asked(id);
    expect(approval).toMatchObject({ tool: "persona_send", arguments: { target_persona: "echo", message: "hello" } });
    expect((await house.client.task(id)).children).toEqual([]);
    await house.client.approve(approval.id);
    expect(await ended(id)).toEqual({ state: "completed", text: "hello" });
    expect((await house.client.task(id)).children).toHaveLength(1);
  });

  it("D18 shows at the root, which goes on working and says who asks", async () => {
    const id = await send("lead", "bread");
    const approval = await asked(id);
    expect(approval).toMatchObject({ rootId: id, persona: "buyer" });
    const root = await house.client.task(id);
    expect(root).toMatchObject({ state: "waiting", waitingFor: "reply" });
    expect(root.why).toContain(`nuncio approval deny ${approval.id}`);
    expect(JSON.stringify(root.statusMessage)).toContain(`buyer (task ${approval.taskId}) asks`);
    expect(JSON.stringify(root.statusMessage)).not.toContain("bread");
    await house.client.approve(approval.id);
    expect(await ended(id)).toEqual({ state: "completed", text: "bought bread" });
  });

  it("E12 the operator's cancel denies and cancels", async () => {
    const id = await send("buyer", "eggs");
    const { id: approvalId } = await asked(id);
    expect(await house.client.cancel(id, "never mind")).toMatchObject({ state: "canceled", canceledIds: [id] });
    expect(await house.client.approval(approvalId)).toMatchObject({ decision: "denied", reason: "never mind" });
  });

  it("lists what is open, and all of it when asked", async () => {
    const id = await send("buyer", "tea");
    const open = await asked(id);
    expect((await house.client.approvals()).approvals).toEqual([open]);
    const all = await house.client.approvals({ all: true, limit: 2 });
    expect(all.approvals).toHaveLength(2);
    const next = await house.client.approvals({ all: true, limit: 1, cursor: all.nextCursor as string });
    expect(all.approvals.map((approval) => approval.id)).not.toContain(next.approvals[0]?.id);
    await house.client.deny(open.id);
    expect((await house.client.approvals()).approvals).toEqual([]);
  });

  it("mistakes of the operator are told as such", async () => {
    const id = await send("buyer", "rope");
    const approval = await asked(id);
    const other = "0".repeat(64);
    await expect(house.client.approve(approval.id, { digest: other })).rejects.toMatchObject({
      ...{ code: "conflict", reason: "APPROVAL_CHANGED" },
    });
    await expect(house.client.approve(approval.id, { digest: "x" })).rejects.toMatchObject({ field: "digest" });
    await expect(house.client.deny(approval.id, { reason: "\0" })).rejects.toMatchObject({ field: "reason" });
    await expect(house.client.approval("nothing")).rejects.toMatchObject({ code: "not_found" });
    await expect(house.client.approve("nothing")).rejects.toMatchObject({ code: "not_found" });
    await house.client.deny(approval.id);
    await expect(house.client.approve(approval.id)).rejects.toMatchObject({
      ...{ code: "failed_precondition", reason: "APPROVAL_DECIDED" },
    });
    expect((await ended(id)).state).toBe("failed");
  });
});
