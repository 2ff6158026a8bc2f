import { expect, it } from "vitest";
import type { Task } from "../tasks/task.js";
import type { Dispatch } from "./dispatch.js";
import type { PinnedPeer } from "./peer-registry.js";
import { whyPeer } from "./why-peer.js";

const NOW = 1_800_000_000_000;
const PINNED = {} as PinnedPeer;
const DISPATCH = {
  ...{ peer: "reviewer", taskId: "t", runId: "r", revision: 7, state: "accepted", remoteTaskId: "x" },
  ...{ holdsSlot: true, lastError: null, remote: { state: "TASK_STATE_WORKING", at: NOW } },
  facts: { localDeadline: null },
} as Dispatch;

const sentence = (task: Partial<Task>, dispatch: Partial<Dispatch> = {}, pinned: PinnedPeer | null = PINNED) =>
  whyPeer(
    { task: { id: "t", ...task } as Task, wakeAt: NOW + 12_000 },
    { ...DISPATCH, ...dispatch },
    pinned ?? undefined,
    NOW,
  );

it.for<[task: Partial<Task>, dispatch: Partial<Dispatch>, says: string | null]>([
  [{ state: "waiting", waitingFor: "reply" }, {}, "shows its task as working; it is looked at again in 12 s"],
  [{ state: "waiting", waitingFor: "reply" }, { remote: null }, "has taken the work up"],
  [{ state: "waiting", waitingFor: "reply" }, { lastError: "away" }, "The last look failed: away."],
  [{ state: "waiting", waitingFor: "input" }, {}, "nuncio a2a answer t --message FILE --revision 7"],
  [{ state: "failed" }, { state: "unknown", remoteTaskId: null }, "--run-id r --release-slot"],
  [{ state: "canceled" }, {}, "has not shown that its task has ended"],
  [{ state: "completed" }, { holdsSlot: false }, null],
  [{ state: "pending" }, {}, null],
])("P13 a task in %j of a dispatch with %j says: %s", ([task, dispatch, says]) => {
  const said = sentence(task, dispatch);
  if (says === null) expect(said).toBeNull();
  else expect(said).toContain(says);
});

it("P5 a peer that is in no registry is said to be missing", () => {
  expect(sentence({ state: "pending" }, {}, null)).toBe(sentence({ state: "waiting", waitingFor: "reply" }, {}, null));
});
