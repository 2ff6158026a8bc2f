import { agentOf } from "./agent-tokens/our-spiffe-id.js";
import type { HostedAgents } from "./hosted-agents.js";
import { parseSpiffeId } from "./policy/spiffe-id.js";
import { anonymous, operator, outsideTenant, type Principal } from "./principal.js";

/** Whose word is taken, as it is configured now. */
export interface Believed {
  anonymous: boolean;
  trustDomain?: string | undefined;
  /** Of partners, by their trust domain. */
  trustBundles: Readonly<Record<string, unknown>>;
  oidc: readonly { issuer: string; tenant: string }[];
  hosted: HostedAgents;
}

/**
 * Who may stand behind a subject now, for what is sent to somebody who shows nothing at that moment: each with as much as
 * some credential of his could give. Nobody where none could be valid any more; whether he still has one is not asked.
 */
export function principalsOf(subject: string, believed: Believed): Principal[] {
  if (subject === anonymous.subject) return believed.anonymous ? [anonymous] : [];
  // A peer is sent nothing: it comes and looks, by its grant.
  if (subject.startsWith("peer:")) return [];
  const [, kind = "", name = ""] = /^(user|oidc|agent):(.+)$/s.exec(subject) ?? [];
  switch (kind) {
    case "user": {
      const slash = name.indexOf("/");
      return [userIn(subject, slash < 0 ? "default" : name.slice(0, slash))];
    }
    case "oidc":
      // No issuer has a `#` in it.
      return believed.oidc
        .filter(({ issuer }) => issuer === name.slice(0, name.indexOf("#")))
        .map(({ tenant }) => userIn(subject, tenant));
    case "agent":
      return agentsOf(subject, name, believed);
    default:
      // Work of our own: of the operator, of a persona.
      return [operator];
  }
}

const userIn = (subject: string, tenant: string): Principal => ({
  ...{ kind: "user", subject, tenant, scopes: ["runs:execute"] },
});

function agentsOf(subject: string, spiffeId: string, { trustDomain, trustBundles, hosted }: Believed): Principal[] {
  const domain = parseSpiffeId(spiffeId)?.trustDomain;
  if (domain === undefined || trustDomain === undefined) return [];
  const shared = { kind: "agent", subject, scopes: ["runs:execute"] } as const;
  if (domain !== trustDomain) {
    const known = Object.hasOwn(trustBundles, domain);
    return known ? [{ ...shared, tenant: outsideTenant(domain), agent: { spiffeId } }] : [];
  }
  const persona = agentOf(trustDomain, spiffeId);
  const agent = persona === null ? undefined : hosted.get(persona.tenant, persona.name);
  if (persona === null || agent === undefined) return [];
  return [{ ...shared, tenant: persona.tenant, agent: { spiffeId, persona, policy: agent.policy } }];
}
