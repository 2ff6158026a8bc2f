/** Where agents have their endpoints: those of the default tenant, and those of the others. */
export const ENDPOINTS = ["/v1/agents/:name/a2a", "/v1/tenants/:tenant/agents/:name/a2a"] as const;

export interface AgentParams {
  name: string;
  tenant?: string;
}

export const agentOf = ({ name, tenant = "default" }: AgentParams): { tenant: string; name: string } => ({
  tenant,
  name,
});
