import type { GrantDetail, GrantJson } from "../http/control/schema/grant.js";
import { harmlessLine } from "./harmless.js";
import type { Colors } from "./output.js";
import { relativeTime } from "./relative-time.js";
import { fieldsText, tableText } from "./table.js";

/** Grants, one a line; nothing where there are none. */
export function grantTable(grants: readonly GrantJson[], colors: Colors): string {
  if (grants.length === 0) return "";
  const now = Date.now();
  const rows = grants.map((grant) => [
    grant.id,
    stateText(grant, colors),
    harmlessLine(grant.peer),
    harmlessLine(grant.skill),
    harmlessLine(grant.tenant),
    grant.assignmentId,
    grant.taskId ?? "",
    relativeTime(grant.expiresAt, now),
  ]);
  return tableText(["ID", "STATE", "PEER", "SKILL", "TENANT", "ASSIGNMENT", "TASK", "EXPIRES"], rows, colors);
}

/** One grant, with what arrived by it. */
export function grantText(grant: GrantDetail, colors: Colors): string {
  const fields = fieldsText(
    [
      ["grant", grant.id],
      ["state", stateText(grant, colors)],
      ["peer", harmlessLine(grant.peer)],
      ["client", grant.peerClient],
      ["assignment", `${grant.assignmentId}, generation ${grant.generation}, of planned task ${grant.plannedTaskId}`],
      ["tenant", harmlessLine(grant.tenant)],
      ["skill", harmlessLine(grant.skill)],
      ["credential", grant.credentialDigest],
      ["expires", grant.expiresAt],
      ["revoked", grant.revokedAt],
      ["message", grant.messageId === null ? null : harmlessLine(grant.messageId)],
      ["body", grant.bodyDigest],
      ["task", grant.taskId],
    ],
    colors,
  );
  const receipts = grant.receipts.map(
    ({ number, at, kind, facts }) => `${number}  ${at}  ${harmlessLine(kind)}  ${harmlessLine(JSON.stringify(facts))}`,
  );
  return receipts.length === 0 ? fields : [fields, "", colors.dim("receipts"), ...receipts].join("\n");
}

function stateText({ state }: GrantJson, colors: Colors): string {
  if (state === "open") return colors.green(state);
  return state === "spent" ? state : colors.yellow(state);
}
