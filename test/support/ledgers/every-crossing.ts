import { newId } from "../../../src/shared/ids.js";
import { approvalDigest } from "../../../src/tasks/approval-digest.js";
import type { Message } from "../../../src/tasks/message.js";
import type { PlannedWorld } from "../planned-world.js";

/**
 * Brings a ledger to where something stands in each table that is about the border of trust: an approval that is open,
 * planned tasks with snapshots, work at a peer in each state, a grant that is open and one that is spent.
 */
export async function everyCrossing(world: PlannedWorld): Promise<void> {
  const given = await world.prepare("peer", { "src/app.ts": "let x = 1;" });
  const sending = await world.run(given, "peer");
  await world.intend(await world.claim(sending));
  const accepted = await world.run(await world.prepare("peer"), "peer");
  await world.intend(await world.claim(accepted));
  const outcome = { type: "accepted", remoteTaskId: "r-1", remoteContextId: "c-1", answer: null } as const;
  await world.peers.settleSend({ tenant: "acme", taskId: accepted, turn: 1, outcome, now: world.now });
  await world.run(await world.prepare("peer"), "peer");

  await world.grant(await world.prepare());
  await spent(world);
  await asked(world);
}

/** A grant that was spent on its message. */
export async function spent(world: PlannedWorld): Promise<{ id: string }> {
  const { id } = await world.grant(await world.prepare());
  const message: Message = { messageId: newId(), role: "user", parts: [{ text: "please" }] };
  await world.grants.spend({
    ...{ id, messageId: "m-1", bodyHash: "aa", peerContextId: null, bytes: 300, peerClient: null, now: world.now },
    run: {
      submit: {
        ...{ contextId: newId(), newContext: true, persona: "analyst", principal: "peer:partner", trigger: "plan" },
        ...{ message, bodyHash: "cc", now: world.now, maxAttempts: 3, lane: null },
      },
    },
  });
  return { id };
}

async function asked(world: PlannedWorld): Promise<void> {
  const taskId = await world.run(await world.prepare());
  const lease = await world.claim(taskId, "native");
  const until = world.now + 3_600_000;
  const call = { tool: "net_http", arguments: { url: "https://example.com/" } };
  await world.ledger.system.settle({
    ...{ lease, now: world.now, start: false, facts: [], steps: [], inputTokens: 0, outputTokens: 0, artifacts: [] },
    outcome: {
      type: "approval",
      requests: [{ callId: "call-1", ...call, digest: approvalDigest(call.tool, call.arguments), expiresAt: until }],
      until,
      message: { messageId: newId(), role: "agent", parts: [{ text: "waits" }] },
    },
  });
}
