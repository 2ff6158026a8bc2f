import { z } from "zod";
import { approvalOf } from "../../approval-json.js";
import { operation } from "../../operation.js";
import { approval, decisionReason, digest } from "../../schema/approval.js";
import { id } from "../../schema/fields.js";

/** Decided once: the task goes on with it, and whoever comes second hears what was decided. */
const decideAs = (decision: "approved" | "denied", verb: string) =>
  operation({
    method: "POST",
    path: `/v1/approvals/:id/${verb}`,
    request: z.strictObject({ id, reason: decisionReason.optional(), digest: digest.optional() }),
    response: approval,
    async handle({ id, reason, digest }, { ledger, clock }) {
      const decided = await ledger.system.approvals.decide({
        ...{ id, decision, now: clock.now() },
        ...(reason === undefined ? {} : { reason }),
        ...(digest === undefined ? {} : { digest }),
      });
      return approvalOf(decided);
    },
  });

export const approve = decideAs("approved", "approve");
export const deny = decideAs("denied", "deny");
