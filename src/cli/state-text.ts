import type { TaskSummary } from "../http/control/schema/task.js";
import { EXIT, type ExitCode } from "./exit-code.js";
import type { Colors } from "./output.js";

type Stateful = Pick<TaskSummary, "state" | "waitingFor">;

export const stateWords = ({ state, waitingFor }: Stateful): string =>
  waitingFor === null ? state : `waiting for ${waitingFor}`;

/** The state in words and its color. */
export const stateText = (task: Stateful, colors: Colors): string => colorOf(task.state, colors)(stateWords(task));

/** A sign for a line of a tree; it means something without color, too. */
export function stateSign({ state }: Pick<TaskSummary, "state">, colors: Colors): string {
  return colorOf(state, colors)(SIGNS[state]);
}

const SIGNS: Record<TaskSummary["state"], string> = {
  pending: "○",
  claimed: "●",
  processing: "●",
  waiting: "◐",
  completed: "✔",
  failed: "✘",
  rejected: "✘",
  canceled: "⊘",
};

function colorOf(state: TaskSummary["state"], colors: Colors): (text: string) => string {
  switch (state) {
    case "completed":
      return colors.green;
    case "failed":
    case "rejected":
      return colors.red;
    case "canceled":
    case "pending":
      return colors.dim;
    case "waiting":
      return colors.yellow;
    default:
      return colors.cyan;
  }
}

/** What a task that has ended means to a script; null while it has not. */
export function exitOf({ state }: Pick<TaskSummary, "state">): ExitCode | null {
  if (state === "completed") return EXIT.done;
  return state === "failed" || state === "rejected" || state === "canceled" ? EXIT.failed : null;
}
