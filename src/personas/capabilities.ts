/**
 * Labels `area.verb:scope` that a persona is granted: `persona.send:*`, `channel.send:my-slack`, `net.http`.
 *
 * `*` stands for every scope in a grant, and for nothing else: the name in what is needed may come from a model or a
 * caller, so `*` and `:` in it are plain characters.
 */
export interface Capability {
  /** `area.verb` */
  action: string;
  scope: string | undefined;
}

const ACTION = /^[A-Za-z0-9_-]{1,64}\.[A-Za-z0-9_-]{1,64}$/;
const GRANTED_SCOPE = /^(?:\*|[A-Za-z0-9](?:[A-Za-z0-9._/-]{0,127}))$/;

/** A label as it may be granted; null when it is none. */
export function parseCapability(label: string): Capability | null {
  const { action, scope } = split(label);
  if (!ACTION.test(action)) return null;
  if (scope !== undefined && !GRANTED_SCOPE.test(scope)) return null;
  return { action, scope };
}

/** Whether one of the grants covers exactly what is needed, e.g. `persona.send:researcher` or `net.http`. */
export function allows(granted: readonly string[], needed: string): boolean {
  const need = split(needed);
  if (need.scope === "") return false;
  return granted.some((label) => {
    const grant = parseCapability(label);
    if (grant === null || grant.action !== need.action) return false;
    if (grant.scope === undefined || need.scope === undefined) return grant.scope === need.scope;
    return grant.scope === "*" || grant.scope === need.scope;
  });
}

/** Whether a grant covers some scope of the action: whether its tool stands in the tool list at all. */
export function allowsSome(granted: readonly string[], action: string): boolean {
  return granted.some((label) => {
    const grant = parseCapability(label);
    return grant !== null && grant.action === action && grant.scope !== undefined;
  });
}

/** Only the first colon divides: what follows is the name, whatever stands in it. */
function split(label: string): Capability {
  const at = label.indexOf(":");
  return at < 0 ? { action: label, scope: undefined } : { action: label.slice(0, at), scope: label.slice(at + 1) };
}
