import type { GrantDetail, GrantJson } from "../http/control/schema/grant.js";
import { harmlessLine } from "./harmless.js";
import type { Colors } from "./output.js";
import { receiptsText } from "./receipts-text.js";
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
    relativeTime(grant.expiresAt, now),
    grant.taskId ?? "–",
  ]);
  return tableText(["ID", "STATE", "PEER", "EXPIRES", "TASK"], rows, colors);
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
  return grant.receipts.length === 0 ? fields : [fields, "", receiptsText(grant.receipts, colors)].join("\n");
}

function stateText({ state }: GrantJson, colors: Colors): string {
  if (state === "open") return colors.green(state);
  return state === "spent" ? state : colors.yellow(state);
}
