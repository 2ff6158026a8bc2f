import { z } from "zod";
import { agentIdOf } from "../../../../access/agent-tokens/our-spiffe-id.js";
import { operation } from "../../operation.js";
import { rotatedKey } from "../../schema/agent-key.js";
import { tenantName, toTimestamp } from "../../schema/fields.js";

/** Another key signs from now on; with `atOnce` nothing counts any more that the old ones have signed. */
export const rotateAgentKey = operation({
  method: "POST",
  path: "/v1/agent-keys/rotate",
  request: z.strictObject({
    persona: z.string().min(1).max(64),
    tenant: tenantName,
    atOnce: z.boolean().default(false),
  }),
  response: rotatedKey,
  async handle({ persona: name, tenant, atOnce }, { access }) {
    const { kid, before } = await access.agentTokens.rotate({ tenant, name }, { atOnce });
    const retired = before.map((key) => ({ kid: key.kid, acceptedUntil: toTimestamp(key.acceptedUntil as number) }));
    return { agent: agentIdOf({ tenant, name }), kid, retired };
  },
});
