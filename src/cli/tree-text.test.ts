import pc from "picocolors";
import { expect, it } from "vitest";
import type { TaskTree } from "../http/control/schema/task.js";
import { treeText } from "./tree-text.js";

const node = (id: string, persona: string, more: Partial<TaskTree> = {}): TaskTree => ({
  id,
  tenant: "default",
  contextId: "c",
  persona,
  principal: "operator",
  state: "completed",
  waitingFor: null,
  askingChildId: null,
  trigger: "cli",
  attempt: 1,
  parentId: null,
  rootId: "1",
  hop: 0,
  retryOf: null,
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
  why: null,
  children: [],
  ...more,
});

it("X17 draws who delegated to whom, with the sentence under what is unfinished", () => {
  const tree = node("1", "orchestrator", {
    state: "waiting",
    waitingFor: "reply",
    why: "Waiting for the reply of writer.",
    children: [
      node("2", "researcher", { attempt: 2, children: [node("3", "librarian")] }),
      node("4", "writer", { state: "pending", attempt: 0, why: "Queued: a free slot takes it at once." }),
    ],
  });
  expect(treeText(tree, "4", pc.createColors(false))).toBe(
    [
      "◐ orchestrator  waiting for reply  1",
      "│   Waiting for the reply of writer.",
      "├─✔ researcher  completed, attempt 2  2",
      "│ └─✔ librarian  completed  3",
      "└─○ writer  pending  4  ◀",
      "      Queued: a free slot takes it at once.",
    ].join("\n"),
  );
});
