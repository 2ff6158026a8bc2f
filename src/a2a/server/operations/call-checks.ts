import { decide } from "../../../access/decide.js";
import { invalidArgument } from "../../../shared/errors.js";
import type { Caller } from "../caller.js";
import { missingScope } from "../refusals.js";

/** The interface tenant is for listeners that serve many agents at one URL; where the URL says it all, both must agree. */
export function checkTenant({ persona }: Caller, interfaceTenant: string | undefined): void {
  if (interfaceTenant === undefined || interfaceTenant === persona.tenant) return;
  throw invalidArgument("tenant", "must be the tenant of the URL, or be left out");
}

export function requireExecute({ principal, persona }: Caller): void {
  const { tenant, visibility } = persona;
  if (decide(principal, "agent:execute", { type: "agent", tenant, visibility }).allowed) return;
  throw missingScope("runs:execute");
}
