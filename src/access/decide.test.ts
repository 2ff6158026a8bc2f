import { describe, expect, it } from "vitest";
import { AGENT_CELLS, TASK_CELLS, WHO_MAY_WHAT } from "../../test/support/who-may-what.js";
import { type Decision, decide, listedTasks } from "./decide.js";
import type { AgentPolicy } from "./policy/agent-policy.js";
import { anonymous, operator, outsideTenant, type Principal, peerPrincipal, type Scope } from "./principal.js";

const TARGET = "https://nuncio.example.com/v1/tenants/acme/agents/desk/a2a";
const CALLER = "spiffe://example.com/tenants/acme/agents/scout";
const FOREIGN = "spiffe://partner.example/scout";

const policy = (a2aTargets: string[], agents: string[]): AgentPolicy => ({
  mode: "enforce",
  tools: [],
  a2aTargets,
  egressHosts: [],
  a2aInbound: { agents },
});
const CALLS_IT = policy(["https://nuncio.example.com/*"], []);
const CALLS_OTHERS = policy(["https://elsewhere.example.com/*"], []);
const TAKES_IT = policy([], ["spiffe://example.com/*", "spiffe://partner.example/*"]);
const TAKES_OTHERS = policy([], ["spiffe://elsewhere.example/*"]);

interface Caller {
  principal: Principal | null;
  /** Of the agent that is called. */
  policy?: AgentPolicy;
  grantedTo?: string;
}

const user = (subject: string, ...scopes: Scope[]): Caller => ({
  principal: { kind: "user", subject, tenant: "acme", scopes },
});

const ownAgent = (caller: AgentPolicy | undefined, called: AgentPolicy): Caller => ({
  principal: {
    kind: "agent",
    subject: `agent:${CALLER}`,
    tenant: "acme",
    scopes: ["runs:execute"],
    agent: { spiffeId: CALLER, persona: { tenant: "acme", name: "scout" }, policy: caller },
  },
  policy: called,
});

const foreignAgent = (called: AgentPolicy): Caller => ({
  principal: {
    kind: "agent",
    subject: `agent:${FOREIGN}`,
    tenant: outsideTenant("partner.example"),
    scopes: ["runs:execute"],
    agent: { spiffeId: FOREIGN },
  },
  policy: called,
});

const CALLERS: Record<string, Caller> = {
  nobody: { principal: null },
  operator: { principal: operator },
  anonymous: { principal: { ...anonymous, tenant: "acme" } },
  "user, runs:execute": user("user:acme/app", "runs:execute"),
  "user, tasks:read": user("user:acme/app", "tasks:read"),
  "user, both": user("user:acme/app", "runs:execute", "tasks:read"),
  "user, neither": user("user:acme/app"),
  "OIDC user, runs:execute": user("oidc:https://login.example.com#ada", "runs:execute"),
  "OIDC user, both": user("oidc:https://login.example.com#ada", "runs:execute", "tasks:read"),
  "own agent, both policies": ownAgent(CALLS_IT, TAKES_IT),
  "own agent, only its policy": ownAgent(CALLS_IT, TAKES_OTHERS),
  "own agent, only the other's": ownAgent(CALLS_OTHERS, TAKES_IT),
  "own agent, none": ownAgent(undefined, TAKES_OTHERS),
  "foreign agent, admitted": foreignAgent(TAKES_IT),
  "foreign agent, not admitted": foreignAgent(TAKES_OTHERS),
  "peer, another's grant": { principal: peerPrincipal("partner"), grantedTo: "peer:other" },
  "peer, its grant": { principal: peerPrincipal("partner"), grantedTo: "peer:partner" },
};
const callerOf = (who: string): Caller => CALLERS[who] as Caller;
const tenantAt = (where: string): string => (where === "same tenant" ? "acme" : "elsewhere");

const CELLS = AGENT_CELLS.length + TASK_CELLS.length;

describe("who may do what", () => {
  it(`R6 E4 E5 E7 E10 E24 P19 is as the table says, in all of its ${CELLS} cells`, () => {
    const decided = [...AGENT_CELLS, ...TASK_CELLS].map(({ row, ...cell }) => {
      const { principal, policy, grantedTo } = callerOf(row.who);
      const tenant = tenantAt(cell.where);
      const made =
        "visibility" in cell
          ? decide(principal, cell.action, {
              ...{ type: "agent", tenant, visibility: cell.visibility, policy, url: TARGET, grantedTo },
            })
          : decide(principal, cell.action, { type: "task", tenant, principal: makerOf(principal, cell.whose) });
      return { who: row.who, ...cell, expected: shortly(made) };
    });
    expect(decided).toEqual([...AGENT_CELLS, ...TASK_CELLS].map(({ row, ...cell }) => ({ who: row.who, ...cell })));
  });

  it("has a caller for every row, and a row for every caller", () => {
    expect(WHO_MAY_WHAT.map(({ who }) => who)).toEqual(Object.keys(CALLERS));
  });

  it("E20 lists to a caller exactly the tasks that it may read one by one", () => {
    for (const cell of TASK_CELLS.filter(({ action }) => action === "task:list")) {
      const { principal } = callerOf(cell.row.who);
      if (principal === null) continue;
      const listed = listedTasks(principal, tenantAt(cell.where));
      const isListed = listed === "all" || listed.principal === makerOf(principal, cell.whose);
      expect({ ...cell, isListed }).toEqual({ ...cell, isListed: cell.expected === "y" });
    }
  });

  it("E7 an agent that is known by no SPIFFE id calls nobody", () => {
    const principal: Principal = { kind: "agent", subject: "agent:x", tenant: "acme", scopes: ["runs:execute"] };
    const agent = { type: "agent", tenant: "acme", visibility: "public", policy: TAKES_IT, url: TARGET } as const;
    expect(decide(principal, "agent:call", agent)).toEqual({ allowed: false, why: "policy" });
  });

  it("E7 without a URL that cards could name, no policy of ours means an agent", () => {
    const { principal } = callerOf("own agent, both policies");
    const agent = { type: "agent", tenant: "acme", visibility: "public", policy: TAKES_IT } as const;
    expect(decide(principal, "agent:call", agent)).toEqual({ allowed: false, why: "policy" });
    const foreign = callerOf("foreign agent, admitted").principal;
    expect(decide(foreign, "agent:call", agent).allowed).toBe(true);
  });
});

const makerOf = (principal: Principal | null, whose: "own" | "other's"): string =>
  whose === "own" ? (principal?.subject ?? "") : "user:acme/somebody-else";

function shortly(decision: Decision): string {
  if (decision.allowed) return "y";
  return { absent: ".", unauthenticated: "1", scope: "s", policy: "p" }[decision.why];
}
