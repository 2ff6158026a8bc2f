import type { ApprovalJson } from "../http/control/schema/approval.js";
import { harmlessJson, harmlessLine } from "./harmless.js";
import type { Colors } from "./output.js";
import { relativeTime } from "./relative-time.js";
import { fieldsText, tableText } from "./table.js";

/** As much of the arguments as a person would read: all of them are in the JSON. */
const MOST_CHARACTERS = 20_000;
const MOST_IN_TABLE = 60;

export function approvalTable(approvals: readonly ApprovalJson[], colors: Colors): string {
  const now = Date.now();
  const rows = approvals.map((approval) => [
    approval.id,
    harmlessLine(approval.persona),
    harmlessLine(approval.tool),
    approval.decision ?? `open, ends ${relativeTime(approval.expiresAt, now)}`,
    begun(JSON.stringify(approval.arguments)),
  ]);
  return tableText(["ID", "PERSONA", "TOOL", "STATE", "ARGUMENTS"], rows, colors);
}

/** The beginning, which shows that it is one. */
function begun(text: string): string {
  const line = harmlessLine(text.slice(0, 200));
  return line.length > MOST_IN_TABLE ? `${line.slice(0, MOST_IN_TABLE)}…` : line;
}

/** Everything about an approval: what it is for comes last, and is as long as it is. */
export function approvalText(approval: ApprovalJson, colors: Colors): string {
  const now = Date.now();
  const facts = fieldsText(
    [
      ["approval", approval.id],
      ["state", approval.decision ?? "open"],
      ["reason", approval.reason === null ? null : harmlessLine(approval.reason)],
      ["decided", approval.decidedAt === null ? null : relativeTime(approval.decidedAt, now)],
      ["expires", approval.decision === null ? relativeTime(approval.expiresAt, now) : null],
      ["asked", relativeTime(approval.createdAt, now)],
      ["persona", harmlessLine(approval.persona)],
      ["task", approval.taskId],
      ["root", approval.rootId === approval.taskId ? null : approval.rootId],
      ["tenant", approval.tenant === "default" ? null : approval.tenant],
      ["tool", harmlessLine(approval.tool)],
      ["digest", approval.digest],
    ],
    colors,
  );
  return [facts, "", colors.dim("arguments"), indented(argumentsText(approval))].join("\n");
}

function argumentsText(approval: ApprovalJson): string {
  const text = harmlessJson(approval.arguments);
  if (text.length <= MOST_CHARACTERS) return text;
  const more = text.length - MOST_CHARACTERS;
  return `${text.slice(0, MOST_CHARACTERS)}\n… and ${more} more characters: nuncio approval show ${approval.id} --json`;
}

const indented = (text: string): string => text.replace(/^/gm, "  ");
