import type { TaskDetail, TaskSummary } from "../http/control/schema/task.js";
import { harmlessLine } from "./harmless.js";
import type { Colors } from "./output.js";
import { partsText, titleOf } from "./part-text.js";
import { relativeTime } from "./relative-time.js";
import { stateText } from "./state-text.js";
import { fieldsText, tableText } from "./table.js";

export function taskTable(tasks: readonly TaskSummary[], colors: Colors): string {
  const now = Date.now();
  const rows = tasks.map((task) => [
    task.id,
    harmlessLine(task.persona),
    stateText(task, colors),
    task.trigger,
    String(task.attempt),
    relativeTime(task.createdAt, now),
  ]);
  return tableText(["ID", "PERSONA", "STATE", "TRIGGER", "ATTEMPT", "CREATED"], rows, colors);
}

/** Everything about a task, with its sentence near the top. */
export function taskText(task: TaskDetail, colors: Colors): string {
  const now = Date.now();
  const facts = fieldsText(
    [
      ["task", task.id],
      ["persona", harmlessLine(task.persona)],
      ["state", stateText(task, colors)],
      ["why", task.why === null ? null : harmlessLine(task.why)],
      ["attempt", `${task.attempt} of ${task.maxAttempts}`],
      [
        "tokens",
        task.tokens.input + task.tokens.output === 0 ? null : `${task.tokens.input} in, ${task.tokens.output} out`,
      ],
      ["trigger", `${task.trigger}, by ${harmlessLine(task.principal)}`],
      ["tenant", task.tenant === "default" ? null : task.tenant],
      ["context", task.contextId],
      ["parent", task.parentId],
      ["root", task.parentId === null ? null : task.rootId],
      ["retry of", task.retryOf],
      ["created", relativeTime(task.createdAt, now)],
      ["changed", relativeTime(task.updatedAt, now)],
    ],
    colors,
  );
  const said = [...task.messages, ...(task.statusMessage === null ? [] : [task.statusMessage])];
  return [
    facts,
    ...section(
      "messages",
      said.map((message) => `${colors.dim(`${message.role}:`)} ${partsText(message)}`),
      colors,
    ),
    ...section(
      "artifacts",
      task.artifacts.map((made) => `${colors.dim(`${titleOf(made)}:`)} ${partsText(made)}`),
      colors,
    ),
    ...(task.children.length === 0 ? [] : ["", colors.dim("delegated"), indented(taskTable(task.children, colors))]),
  ].join("\n");
}

const section = (title: string, lines: readonly string[], colors: Colors): string[] =>
  lines.length === 0 ? [] : ["", colors.dim(title), ...lines.map(indented)];

const indented = (text: string): string => text.replace(/^/gm, "  ");
