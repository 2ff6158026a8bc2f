import type { AgentResource } from "../../access/decide.js";
import type { Principal } from "../../access/principal.js";
import type { Persona } from "../../personas/persona.js";

/** Who speaks to which agent. Both have been checked: the agent exists for this principal, who may call it. */
export interface Caller {
  principal: Principal;
  persona: Persona;
  /** The agent as it was decided on. */
  agent: AgentResource;
}
