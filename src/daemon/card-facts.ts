import type { ConfiguredFacts } from "../a2a/server/cards/publication.js";
import { spiffeIdOf } from "../access/agent-tokens/our-spiffe-id.js";
import type { Config } from "../config/config.js";
import { nuncioVersion } from "../shared/version.js";

/** What the configuration lets cards say: what is switched on, and nothing that is not there. */
export function cardFacts({ mode, server, a2a, access, cards, queue }: Config): ConfiguredFacts {
  return {
    mode,
    publicBaseUrl: server.publicBaseUrl,
    grpcPublicUrl: server.grpcPublicUrl,
    versions: a2a.versions,
    version: nuncioVersion(),
    rest: true,
    defaultAgent: a2a.defaultAgent,
    push: true,
    security: {
      anonymous: access.anonymous,
      oidc: access.oidc,
      agentTokenAudience(persona) {
        const { policy } = persona;
        const takesAgents = policy?.mode === "enforce" && (policy.a2aInbound?.agents.length ?? 0) > 0;
        return takesAgents && access.trustDomain !== undefined ? spiffeIdOf(access.trustDomain, persona) : undefined;
      },
    },
    about: { provider: cards.provider, documentationUrl: cards.documentationUrl, iconUrl: cards.iconUrl },
    keys: cards.keys,
    limits: {
      maxRequestBytes: server.maxBodyBytes,
      maxPendingTasks: queue.maxPendingPerPersona,
      blockingTimeoutMs: a2a.blockingTimeoutMs,
      maxHops: a2a.maxHops,
      maxOpenCalls: access.limits.streams,
      requestsPerMinute: access.limits.requestsPerMinute,
    },
  };
}
