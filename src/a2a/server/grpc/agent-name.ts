import type { AgentName } from "../../../access/agent-name.js";
import { invalidArgument, type NuncioError } from "../../../shared/errors.js";

/** Metadata that names the agent: a message of 0.3 has no place for it. */
export const AGENT_METADATA = "x-nuncio-agent";

/**
 * All agents are behind one port. A call names the one it is for as `TENANT/AGENT`, or as `AGENT` where the tenant is
 * `default`: in the field `tenant` of a message of 1.0, which clients fill with what the card says for this interface, or
 * in the metadata. Neither tenants nor agents have a slash in their names, so that what has more of them names none.
 */
export function agentNamed(text: string): AgentName {
  const slash = text.indexOf("/");
  return slash < 0 ? { tenant: "default", name: text } : { tenant: text.slice(0, slash), name: text.slice(slash + 1) };
}

export const isSame = (a: AgentName, b: AgentName): boolean => a.tenant === b.tenant && a.name === b.name;

export const anotherAgent = (): NuncioError =>
  invalidArgument("tenant", `must be the agent of the metadata ${AGENT_METADATA}, or be left out`);
