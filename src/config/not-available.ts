import type { ConfigPath } from "./config-error.js";
import type { Findings } from "./findings.js";
import type { Settings } from "./schema/root.js";

const HERE = "not available in this version";

/**
 * Everything that the schema knows and this version does not do, in one place. What a task or a safeguard would depend
 * on is refused; what is only without effect is a warning.
 */
export function findNotAvailable(settings: Settings, findings: Findings): void {
  settings.personas.forEach((persona, index) => {
    const at = (...rest: ConfigPath) => ["personas", index, ...rest];
    if (persona.runtime === "workflow") {
      findings.refuse(at("runtime"), `workflow is ${HERE}; use model, command or scripted`);
    }
    if (persona.capabilities.requireApproval.length > 0) {
      const path = at("capabilities", "requireApproval");
      findings.refuse(path, `approvals are ${HERE}; remove these from capabilities.allow, and leave this list empty`);
    }
    persona.script?.forEach((rule, ruleIndex) => {
      rule.steps.forEach((step, stepIndex) => {
        for (const name of ["call", "approve"]) {
          if (name in step) {
            findings.refuse(at("script", ruleIndex, "steps", stepIndex, name), `this step is ${HERE}; remove it`);
          }
        }
      });
    });
    for (const part of ["tools", "egressHosts"] as const) {
      if ((persona.policy?.[part].length ?? 0) > 0) findings.warn(at("policy", part), withoutEffect("a2a_call"));
    }
  });
  for (const [path, what] of withoutEffectYet) {
    if (findings.source.has(path) && !(path[0] === "console" && settings.console === false)) {
      findings.warn(path, withoutEffect(what));
    }
  }
}

const withoutEffectYet: readonly [path: ConfigPath, what: string][] = [
  [["console"], "the console"],
  [["channels"], "channels"],
];

const withoutEffect = (what: string): string => `has no effect: ${what} ${/s$/.test(what) ? "are" : "is"} ${HERE}`;
