import { z } from "zod";
import { operation } from "../../operation.js";
import { agentToken } from "../../schema/agent-key.js";
import { tenantName, toTimestamp } from "../../schema/fields.js";

const FIVE_MINUTES = 300;
const ONE_HOUR = 3600;

/** A token by which one agent of ours is known to another agent, and to nobody else. Nothing of it is kept. */
export const createAgentToken = operation({
  method: "POST",
  path: "/v1/agent-tokens",
  status: 201,
  request: z.strictObject({
    persona: z.string().min(1).max(64),
    tenant: tenantName,
    /** A SPIFFE id, or the id of an agent of ours: `desk`, `acme/desk`. */
    audience: z.string().min(1).max(2048),
    expiresInSeconds: z.number().int().min(1).max(ONE_HOUR, "must be at most an hour").default(FIVE_MINUTES),
  }),
  response: agentToken,
  async handle({ persona: name, tenant, audience, expiresInSeconds }, { access }) {
    const made = await access.agentTokens.mint({ tenant, name }, audience, expiresInSeconds * 1000);
    return { ...made, expiresAt: toTimestamp(made.expiresAt) };
  },
});
