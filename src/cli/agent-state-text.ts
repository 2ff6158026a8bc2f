import type { AgentTaskJson } from "../http/control/schema/a2a.js";

type AgentState = AgentTaskJson["status"]["state"];

/** `TASK_STATE_INPUT_REQUIRED` as people say it: `input required`. */
export const agentStateText = (state: AgentState): string =>
  state
    .replace(/^TASK_STATE_/, "")
    .replaceAll("_", " ")
    .toLowerCase();

const FAILED: ReadonlySet<AgentState> = new Set<AgentState>([
  "TASK_STATE_FAILED",
  "TASK_STATE_CANCELED",
  "TASK_STATE_REJECTED",
]);

export const agentHasFailed = (state: AgentState): boolean => FAILED.has(state);

export const agentAsks = (state: AgentState): boolean =>
  state === "TASK_STATE_INPUT_REQUIRED" || state === "TASK_STATE_AUTH_REQUIRED";
