import { describe, expect, it } from "vitest";
import { type Action, type Decision, decide, type Resource } from "./decide.js";
import { operator, type Principal, type Scope } from "./principal.js";

const user = (subject: string, tenant: string, ...scopes: Scope[]): Principal => ({
  kind: "user",
  subject,
  tenant,
  scopes,
});

const PRINCIPALS: Record<string, Principal | null> = {
  nobody: null,
  owner: user("user:owner", "acme", "runs:execute"),
  "owner who may only read": user("user:owner", "acme", "tasks:read"),
  colleague: user("user:colleague", "acme", "runs:execute"),
  auditor: user("user:auditor", "acme", "tasks:read"),
  "auditor elsewhere": user("user:auditor", "other", "tasks:read"),
  stranger: user("user:stranger", "other", "runs:execute"),
  powerless: user("user:powerless", "acme"),
  operator,
};

const RESOURCES = {
  private: { type: "agent", tenant: "acme", visibility: "private" },
  public: { type: "agent", tenant: "acme", visibility: "public" },
  task: { type: "task", tenant: "acme", principal: "user:owner" },
} as const satisfies Record<string, Resource>;

/** yes, absent, 401, or the scope that is missing. */
const TABLE: [string, keyof typeof RESOURCES, Action, string][] = [
  // A private agent does not exist outside its tenant.
  ["nobody", "private", "agent:card", "absent"],
  ["nobody", "private", "agent:call", "absent"],
  ["stranger", "private", "agent:card", "absent"],
  ["stranger", "private", "agent:call", "absent"],
  ["stranger", "private", "agent:execute", "absent"],
  ["auditor elsewhere", "private", "agent:call", "absent"],
  ["colleague", "private", "agent:card", "yes"],
  ["colleague", "private", "agent:call", "yes"],
  ["colleague", "private", "agent:execute", "yes"],
  ["powerless", "private", "agent:card", "yes"],
  ["powerless", "private", "agent:call", "runs:execute"],
  // A public one shows its card to all, and answers whom it knows.
  ["nobody", "public", "agent:card", "yes"],
  ["nobody", "public", "agent:call", "401"],
  ["nobody", "public", "agent:execute", "401"],
  ["stranger", "public", "agent:call", "yes"],
  ["stranger", "public", "agent:execute", "yes"],
  ["powerless", "public", "agent:call", "runs:execute"],
  ["auditor", "public", "agent:call", "yes"],
  ["auditor", "public", "agent:execute", "runs:execute"],
  // A task is its creator's; readers of its tenant may look.
  ["nobody", "task", "task:read", "401"],
  ["owner", "task", "task:read", "yes"],
  ["owner", "task", "task:change", "yes"],
  ["owner who may only read", "task", "task:read", "yes"],
  ["owner who may only read", "task", "task:change", "runs:execute"],
  ["colleague", "task", "task:read", "absent"],
  ["colleague", "task", "task:change", "absent"],
  ["auditor", "task", "task:read", "yes"],
  ["auditor", "task", "task:change", "absent"],
  ["auditor elsewhere", "task", "task:read", "absent"],
  ["stranger", "task", "task:read", "absent"],
  ["operator", "private", "agent:execute", "yes"],
  ["operator", "task", "task:change", "yes"],
];

describe("decide", () => {
  it.each(TABLE)("E4 E5 E10 %s, %s, %s: %s", (who, what, action, expected) => {
    expect(shortly(decide(PRINCIPALS[who] as Principal | null, action, RESOURCES[what]))).toBe(expected);
  });
});

function shortly(decision: Decision): string {
  if (decision.allowed) return "yes";
  if (decision.why === "scope") return decision.scope;
  return decision.why === "absent" ? "absent" : "401";
}
