import type { TaskSnapshot } from "../tasks/task.js";
import { type HostResult, result } from "./host-tool.js";
import { AGENTS_WORDS, asSeenByTools } from "./task-status-view.js";

/** What a tool says about a task: its id, its status, and its agent's words marked as such. */
export function taskAnswer(task: TaskSnapshot): HostResult {
  return result(
    { task_id: task.id, ...asSeenByTools(task) },
    { by: `persona ${JSON.stringify(task.persona)}`, fields: AGENTS_WORDS },
  );
}
