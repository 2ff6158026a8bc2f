/** Names a persona as callers from outside do. */
export interface AgentName {
  tenant: string;
  name: string;
}
