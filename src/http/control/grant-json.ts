import { type Grant, grantState } from "../../plans/grant.js";
import { asDigest } from "../../shared/digest.js";
import { toOptionalTimestamp, toTimestamp } from "./schema/fields.js";
import type { GrantJson } from "./schema/grant.js";

export const grantJson = (grant: Grant, now: number): GrantJson => ({
  id: grant.id,
  state: grantState(grant, now),
  peer: grant.peer,
  plannedTaskId: grant.planId,
  assignmentId: grant.assignmentId,
  generation: grant.generation,
  tenant: grant.interfaceTenant,
  skill: grant.skill,
  peerClient: grant.peerClient,
  credentialDigest: grant.credentialDigest,
  createdAt: toTimestamp(grant.createdAt),
  expiresAt: toTimestamp(grant.expiresAt),
  taskId: grant.spent?.taskId ?? null,
  messageId: grant.spent?.messageId ?? null,
  bodyDigest: grant.spent === null ? null : asDigest(grant.spent.bodyHash),
  spentAt: toOptionalTimestamp(grant.spent?.at ?? null),
  revokedAt: toOptionalTimestamp(grant.revokedAt),
});
