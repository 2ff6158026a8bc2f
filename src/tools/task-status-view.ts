import { textOf } from "../tasks/message.js";
import type { TaskSnapshot } from "../tasks/task.js";
import { replyText } from "./reply-text.js";

/** The states that host tools speak of. */
export type ToolStatus = "pending" | "claimed" | "processing" | "completed" | "failed";

/** A task as host tools show it. `reply`, `error` and `asks` are the words of the task's agent. */
export type TaskStatusView = {
  status: ToolStatus;
  /** Completed: the answer. */
  reply?: string;
  /** Failed, rejected or canceled: why. */
  error?: string;
  /** What an answer from outside is needed for, while it is processing. */
  waiting_for?: "input" | "auth";
  /** The question. */
  asks?: string;
};

/** Fields of a view that are not ours. */
export const AGENTS_WORDS = ["reply", "error", "asks"] as const;

export function asSeenByTools(
  task: Pick<TaskSnapshot, "state" | "waitingFor" | "started" | "artifacts" | "statusMessage">,
): TaskStatusView {
  const said = task.statusMessage === null ? "" : textOf(task.statusMessage);
  switch (task.state) {
    case "pending":
    case "claimed":
      return { status: task.started ? "processing" : task.state };
    case "processing":
      return { status: "processing" };
    case "waiting":
      if (task.waitingFor !== "input" && task.waitingFor !== "auth") return { status: "processing" };
      return { status: "processing", waiting_for: task.waitingFor, asks: said };
    case "completed":
      return { status: "completed", reply: replyText(task) };
    case "failed":
      return { status: "failed", error: said === "" ? "failed without a reason" : said };
    case "rejected":
      return { status: "failed", error: said === "" ? "rejected" : `rejected: ${said}` };
    case "canceled":
      return { status: "failed", error: said === "" ? "canceled" : `canceled: ${said}` };
  }
}
