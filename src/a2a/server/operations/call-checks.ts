import { decide } from "../../../access/decide.js";
import type { Ending } from "../../../shared/ending.js";
import { invalidArgument, NuncioError } from "../../../shared/errors.js";
import type { Caller } from "../caller.js";
import { missingScope, policyDenied } from "../refusals.js";

/** The interface tenant is for listeners that serve many agents at one URL; where the URL says it all, both must agree. */
export function checkTenant({ persona }: Caller, interfaceTenant: string | undefined): void {
  if (interfaceTenant === undefined || interfaceTenant === persona.tenant) return;
  throw invalidArgument("tenant", "must be the tenant of the URL, or be left out");
}

/** Of a caller who has been let in to call. */
export function requireExecute({ principal, agent }: Caller): void {
  const decision = decide(principal, "agent:execute", agent);
  if (!decision.allowed) throw decision.why === "scope" ? missingScope(decision.scope) : policyDenied();
}

/** Whoever may not read the answer any more hears why, and nothing else. */
export function throwReason({ reason }: Ending): void {
  if (NuncioError.is(reason)) throw reason;
}
