import { CALL_TOOL, mayCallSomebody } from "../access/policy/call-policy.js";
import type { Findings } from "./findings.js";
import type { Settings } from "./schema/root.js";

/** A policy that names the tool for calls and yet lets none through: whoever wrote that means something else. */
export function findIdlePolicies({ personas }: Settings, findings: Findings): void {
  personas.forEach(({ name, policy }, index) => {
    policy?.tools.forEach((tool, at) => {
      const path = ["personas", index, "policy", "tools", at];
      if (tool !== CALL_TOOL) findings.warn(path, `${tool} is no tool that a policy speaks of; there is ${CALL_TOOL}`);
      // Plain http goes in development; where nothing else is said, nobody is bothered.
      else if (!mayCallSomebody(policy, true)) findings.warn(path, `${name} can call nobody: ${reasonOf(policy)}`);
    });
  });
}

function reasonOf({ mode, a2aTargets }: NonNullable<Settings["personas"][number]["policy"]>): string {
  if (mode !== "enforce") return `mode ${JSON.stringify(mode)} denies everything; use enforce`;
  if (a2aTargets.length === 0) return "a2aTargets names no agent; add URLs such as https://agents.example.com/*";
  return "egressHosts names no host; add one such as agents.example.com";
}
