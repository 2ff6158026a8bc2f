import { z } from "zod";
import { bundleOf } from "../../../../access/agent-tokens/published-keys.js";
import { operation } from "../../operation.js";
import { keyBundle } from "../../schema/agent-key.js";
import { tenantName } from "../../schema/fields.js";

/** The public keys of an agent, which gets its first one where it has none; or those of all agents that have any. */
export const listAgentKeys = operation({
  method: "GET",
  path: "/v1/agent-keys",
  request: z.strictObject({ persona: z.string().min(1).max(64).optional(), tenant: tenantName }),
  response: keyBundle,
  async handle({ persona, tenant }, { access: { agentTokens } }) {
    const keys = persona === undefined ? agentTokens.allKeys() : await agentTokens.keysOf({ tenant, name: persona });
    return keyBundle.parse(bundleOf(keys));
  },
});
