import type { PeerDesk } from "./desk.js";
import type { Dispatch } from "./dispatch.js";

/** Our task has ended. A message that nobody waits for the answer of any more is one of which nothing is known. */
export async function endLocally(
  { store, clock }: Pick<PeerDesk, "store" | "clock">,
  tenant: string,
  taskId: string,
): Promise<Dispatch> {
  const { dispatch } = await store.note({ tenant, taskId, fact: { type: "local_ended" }, now: clock.now() });
  const open = dispatch.sends.find(({ state }) => state === "sending");
  if (open === undefined) return dispatch;
  const outcome = { type: "unknown", error: "the task ended while it was being sent" } as const;
  return await store.settleSend({ tenant, taskId, turn: open.turn, outcome, now: clock.now() });
}
