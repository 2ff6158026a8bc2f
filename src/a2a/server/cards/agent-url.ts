/** Path of an agent's endpoint. */
export const agentPath = ({ tenant, name }: { tenant: string; name: string }): string =>
  tenant === "default"
    ? `/v1/agents/${encodeURIComponent(name)}/a2a`
    : `/v1/tenants/${encodeURIComponent(tenant)}/agents/${encodeURIComponent(name)}/a2a`;
