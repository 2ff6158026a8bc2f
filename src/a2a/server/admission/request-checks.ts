import { invalidArgument, NuncioError } from "../../../shared/errors.js";
import * as check from "../../protocol/check.js";
import { DELEGATION_EXTENSION, skillOf } from "../../protocol/delegation-extension.js";
import type { Params } from "../../protocol/read-request.js";
import type { SendRequest } from "../../protocol/requests.js";
import type { Dialect } from "./dialects.js";

/** Far more than a request for one analysis has. */
const MAX_PARTS = 64;

/**
 * The tenant of a request must be that of the grant.
 *
 * @returns the request without it: what is behind the listener has tenants of its own
 */
export function checkInterfaceTenant(params: Params, granted: string, { suppliesTenant }: Dialect): Params {
  const { tenant, ...rest } = params;
  const named = check.optionalLabel(tenant, "tenant");
  if (named === undefined && suppliesTenant) return rest;
  if (named === granted) return rest;
  throw invalidArgument("tenant", "must be the tenant of the card's interface", { reason: "TENANT_NOT_GRANTED" });
}

/** A message that a grant may be spent on: fresh, for the granted skill, and of what can be read here. */
export function checkFresh({ message, taskId }: SendRequest, skill: string): void {
  if (taskId !== undefined) {
    throw new NuncioError("failed_precondition", "this agent takes one message, and nothing that continues it", {
      field: "message.taskId",
      reason: "NEEDS_OPERATOR",
      hint: "anything further needs a new grant, which only the operator of this agent can give",
    });
  }
  const named = skillOf(message);
  if (named !== undefined && named !== skill) {
    throw invalidArgument(`message.metadata["${DELEGATION_EXTENSION}"].skill`, "must be the skill of the card", {
      reason: "SKILL_NOT_GRANTED",
    });
  }
  if (message.parts.length > MAX_PARTS) {
    throw invalidArgument("message.parts", `must not have more than ${MAX_PARTS} parts`);
  }
  const other = message.parts.findIndex((part) => !("text" in part || "data" in part));
  if (other < 0) return;
  throw new NuncioError("invalid_argument", "must have text or data: files are not taken, and no URL is fetched", {
    field: `message.parts[${other}]`,
    reason: "CONTENT_TYPE_NOT_SUPPORTED",
  });
}
