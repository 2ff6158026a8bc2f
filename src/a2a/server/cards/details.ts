import { inboundPerMinute } from "../../../access/policy/agent-policy.js";
import type { Persona } from "../../../personas/persona.js";
import type { JsonObject } from "../../../shared/json.js";

/**
 * The extension by which an extended card says what somebody who may call the agent should know of it. `params`:
 *
 *     { "limits": { "maxRequestBytes": 1048576, "maxPendingTasks": 10000, … }, "followUps": true,
 *       "tenant": "acme", "runtime": "model", "maxConcurrent": 2 }
 *
 * The second line is for callers of the agent's own tenant. Nothing of it is a secret, or an address inside.
 */
export const DETAILS_EXTENSION = "https://nuncio.dev/extensions/agent-details/v1";

/** What a caller may ask of an agent, at most. A limit that is not set is absent. */
export interface CallerLimits {
  /** Bytes of a request. */
  maxRequestBytes: number;
  /** Tasks of the agent that may be pending; more are refused, and may be sent again later. */
  maxPendingTasks: number;
  /** How long a blocking call of 0.3 waits, ms. */
  blockingTimeoutMs: number;
  /** Delegations that a message may have behind it. */
  maxHops: number;
  /** Streams and waiting calls that a caller may have open at a time. */
  maxOpenCalls: number;
  /** Of one caller; absent: as many as it likes. */
  requestsPerMinute?: number | undefined;
}

/** @param insider whether the caller belongs to the agent's tenant */
export function detailsOf(persona: Persona, limits: CallerLimits, insider: boolean): JsonObject {
  const { tenant, maxConcurrent, followUps, runtime, policy } = persona;
  const ofAgent = inboundPerMinute(policy);
  return {
    uri: DETAILS_EXTENSION,
    description: "What callers of this agent should know of it",
    params: {
      limits: { ...limits, ...(ofAgent === undefined ? {} : { requestsPerMinuteOfAnAgent: ofAgent }) } as JsonObject,
      followUps,
      ...(insider ? { tenant, runtime: runtime.type, maxConcurrent } : {}),
    },
  };
}
