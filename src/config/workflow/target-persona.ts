import { allows } from "../../personas/capabilities.js";
import type { PersonaSettings } from "../schema/persona.js";
import type { Settings } from "../schema/root.js";

/** Why a workflow cannot hand work to this persona; undefined when it can. */
export function personaLack(target: string, workflow: PersonaSettings, settings: Settings): string | undefined {
  const { name, tenant, capabilities } = workflow;
  if (!settings.personas.some((other) => other.name === target && other.tenant === tenant)) {
    return `no persona "${target}" is configured in tenant ${tenant}; add it, or name another`;
  }
  if (allows(capabilities.allow, `persona.send:${target}`)) return undefined;
  return `${name} may not send to "${target}"; add persona.send:${target} to its capabilities.allow`;
}
