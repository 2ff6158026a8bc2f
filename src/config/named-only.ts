import { denialOf } from "../access/policy/call-policy.js";
import { allows, parseCapability } from "../personas/capabilities.js";
import type { ConfigPath } from "./config-error.js";
import type { Findings } from "./findings.js";
import type { PersonaSettings } from "./schema/persona.js";
import type { Settings } from "./schema/root.js";

/** What a persona names and nobody configured: a warning, and the tool is absent. */
export function findNamedOnly(settings: Settings, findings: Findings): void {
  settings.personas.forEach((persona, index) => {
    persona.capabilities.allow.forEach((label, labelIndex) => {
      const reason = reasonOfAbsence(label, persona, settings);
      if (reason !== undefined) {
        findings.warn(["personas", index, "capabilities", "allow", labelIndex], `${label} gives no tool: ${reason}`);
      }
    });
    persona.capabilities.requireApproval.forEach((label, at) => {
      const reason = label.startsWith("a2a.call:") ? undefined : reasonOfAbsence(label, persona, settings);
      const path = ["personas", index, "capabilities", "requireApproval", at];
      if (reason !== undefined) findings.warn(path, `${label} holds up no call: ${reason}`);
    });
    warnOfSends(persona, ["personas", index, "script"], settings, findings);
    warnOfCalls(persona, ["personas", index, "script"], findings);
  });
}

function reasonOfAbsence(label: string, persona: PersonaSettings, settings: Settings): string | undefined {
  const { action, scope } = parseCapability(label) ?? { action: label, scope: undefined };
  switch (action) {
    case "persona.send":
      if (scope === undefined) return "it names no target; use persona.send:* or persona.send:NAME";
      if (scope === "*" || isLoaded(scope, persona, settings)) return undefined;
      return `no persona ${scope} is configured in tenant ${persona.tenant}`;
    case "channel.send":
      if (scope === undefined) return "it names no channel; use channel.send:* or channel.send:NAME";
      if (settings.channels.some(({ name }) => scope === "*" || name === scope)) return undefined;
      return scope === "*" ? "no channel is configured" : `no channel ${scope} is configured`;
    case "net.http":
      return scope === undefined ? undefined : "it takes no scope; use net.http";
    default:
      return action.startsWith("mcp.")
        ? `no server ${action.slice(4)} is configured`
        : "no tool asks for this capability";
  }
}

/** A script may send to nobody on purpose, so that its persona meets the error; most of the time it is a slip. */
function warnOfSends(persona: PersonaSettings, path: ConfigPath, settings: Settings, findings: Findings): void {
  persona.script?.forEach((rule, ruleIndex) => {
    rule.steps.forEach((step, stepIndex) => {
      if (!("send" in step) || step.send.to.includes("{{")) return;
      const { to } = step.send;
      const place = [...path, ruleIndex, "steps", stepIndex, "send", "to"];
      if (!isLoaded(to, persona, settings)) {
        findings.warn(
          place,
          `no persona ${JSON.stringify(to)} is configured in tenant ${persona.tenant}; this step will fail`,
        );
      } else if (!allows(persona.capabilities.allow, `persona.send:${to}`)) {
        findings.warn(place, `${persona.name} lacks the capability persona.send:${to}; this step will be refused`);
      }
    });
  });
}

function warnOfCalls(persona: PersonaSettings, path: ConfigPath, findings: Findings): void {
  persona.script?.forEach((rule, ruleIndex) => {
    rule.steps.forEach((step, stepIndex) => {
      // Plain http goes in development; where nothing else is in the way, nobody is bothered.
      if (!("call" in step) || step.call.url.includes("{{") || denialOf(persona.policy, step.call.url, true) === null)
        return;
      const place = [...path, ruleIndex, "steps", stepIndex, "call", "url"];
      findings.warn(place, `the policy of ${persona.name} does not let it call this agent; this step will be refused`);
    });
  });
}

const isLoaded = (name: string, from: PersonaSettings, settings: Settings): boolean =>
  settings.personas.some((persona) => persona.name === name && persona.tenant === from.tenant);
