import { denialOf, mayCallSomebody } from "../../access/policy/call-policy.js";
import { allows, allowsSome } from "../../personas/capabilities.js";
import type { ToolNode } from "../../personas/workflow.js";
import { listed } from "../fields.js";
import type { PersonaSettings } from "../schema/persona.js";

type Arguments = Readonly<Record<string, unknown>>;

/** What a persona lacks that does not have a host tool, or may not call it like this; undefined when it may. */
const LACKS: Readonly<Record<string, (persona: PersonaSettings, args: Arguments) => string | undefined>> = {
  persona_send: lacksSend,
  persona_task_status: lacksSend,
  persona_list: lacksSend,
  ask_caller: ({ followUps }) => (followUps ? undefined : "followUps: true"),
  net_http: ({ capabilities }) => (allows(capabilities.allow, "net.http") ? undefined : "the capability net.http"),
  channel_send: lacksChannel,
  a2a_call: lacksPolicy,
};

export const HOST_TOOLS = Object.keys(LACKS);

export const isHostTool = (tool: string): boolean => Object.hasOwn(LACKS, tool);

export const NO_TOOL = `is no host tool; use ${listed(HOST_TOOLS)}`;

/** Why a workflow cannot call this host tool like this; undefined when it can. */
export function toolLack({ tool, with: args }: ToolNode, persona: PersonaSettings): string | undefined {
  const lacks = LACKS[tool]?.(persona, args);
  return lacks === undefined ? undefined : `${persona.name} may not call ${tool} here; it needs ${lacks}`;
}

function lacksSend({ capabilities }: PersonaSettings): string | undefined {
  return allowsSome(capabilities.allow, "persona.send") ? undefined : "a capability such as persona.send:*";
}

function lacksChannel({ capabilities }: PersonaSettings, { channel }: Arguments): string | undefined {
  if (isKnown(channel)) {
    return allows(capabilities.allow, `channel.send:${channel}`) ? undefined : `the capability channel.send:${channel}`;
  }
  return allowsSome(capabilities.allow, "channel.send") ? undefined : "a capability such as channel.send:*";
}

/** Plain http goes in development, and whether this is that is not asked here. */
function lacksPolicy({ policy }: PersonaSettings, { agentUrl }: Arguments): string | undefined {
  if (!mayCallSomebody(policy, true))
    return "an enforced policy with a2a_call among its tools, a2aTargets and egressHosts";
  if (!isKnown(agentUrl) || denialOf(policy, agentUrl, true) === null) return undefined;
  return "this agentUrl among the a2aTargets of its policy, and its host among the egressHosts";
}

/** It stands there as it will be. */
const isKnown = (value: unknown): value is string => typeof value === "string" && !value.includes("{{");
