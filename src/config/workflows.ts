import { allows, allowsSome } from "../personas/capabilities.js";
import { circleIn, doneBefore, type WorkflowNode } from "../personas/workflow.js";
import { namesIn } from "../shared/template.js";
import type { ConfigPath } from "./config-error.js";
import { listed } from "./fields.js";
import type { Findings } from "./findings.js";
import type { PersonaSettings } from "./schema/persona.js";
import type { Settings } from "./schema/root.js";

/** A workflow is known as a whole before it runs, so what cannot work in it is refused here and not in the middle of a task. */
export function checkWorkflows(settings: Settings, findings: Findings): void {
  settings.personas.forEach((persona, index) => {
    const { nodes } = persona;
    if (nodes === undefined || persona.runtime !== "workflow") return;
    const path = ["personas", index, "nodes"];
    if (!checkGraph(nodes, path, findings)) return;
    nodes.forEach((node, at) => {
      checkTemplates(node, nodes, [...path, at], findings);
      const problem = "persona" in node ? personaProblem(node.persona, persona, settings) : toolProblem(node, persona);
      if (problem !== undefined) findings.refuse([...path, at, "persona" in node ? "persona" : "tool"], problem);
    });
  });
}

/** Whether each need names one node, and all nodes can be brought into an order. */
function checkGraph(nodes: readonly WorkflowNode[], path: ConfigPath, findings: Findings): boolean {
  const places = new Map<string, number>();
  let sound = true;
  const refuse = (at: ConfigPath, message: string) => {
    sound = false;
    findings.refuse([...path, ...at], message);
  };
  nodes.forEach(({ id }, at) => {
    const earlier = places.get(id);
    if (earlier === undefined) places.set(id, at);
    else refuse([at, "id"], `"${id}" is nodes[${earlier}] already; use another id`);
  });
  nodes.forEach(({ needs }, at) => {
    needs.forEach((need, place) => {
      if (!places.has(need)) refuse([at, "needs", place], `"${need}" is no node of this workflow; use ${known(nodes)}`);
    });
  });
  const circle = sound ? circleIn(nodes) : null;
  if (circle !== null) {
    const ids = circle.map(({ id }) => id);
    const [first = "", second = first] = ids;
    const at = places.get(first) ?? 0;
    const place = nodes[at]?.needs.indexOf(second) ?? 0;
    refuse([at, "needs", place], `${[...ids, first].join(" needs ")}, so that none can begin; remove one of these`);
  }
  return sound;
}

const known = (nodes: readonly WorkflowNode[]): string => listed(nodes.map(({ id }) => id).slice(0, 10));

const OF_RUN: ReadonlySet<string> = new Set(["input.text", "input.message", "input.data", "turn", "attempt"]);

function checkTemplates(
  node: WorkflowNode,
  nodes: readonly WorkflowNode[],
  path: ConfigPath,
  findings: Findings,
): void {
  const before = doneBefore(nodes, node);
  for (const [place, template] of textsOf(node)) {
    for (const name of namesIn(template)) {
      const problem = nameProblem(name, nodes, before);
      if (problem !== undefined) findings.refuse([...path, ...place], problem);
    }
  }
}

function nameProblem(name: string, nodes: readonly WorkflowNode[], before: ReadonlySet<string>): string | undefined {
  if (OF_RUN.has(name)) return undefined;
  const [area, id = "", output, ...fields] = name.split(".");
  if (area !== "nodes" || output !== "output" || fields.includes("")) {
    return `{{${name}}} is no name here; use ${listed([...OF_RUN, "nodes.ID.output"])}`;
  }
  if (!nodes.some((node) => node.id === id)) {
    return `{{${name}}}: "${id}" is no node of this workflow; use ${known(nodes)}`;
  }
  return before.has(id) ? undefined : `{{${name}}} may not be there yet; add ${id} to needs`;
}

/** Every template of a node, with its place. */
function textsOf(node: WorkflowNode): [ConfigPath, string][] {
  if ("approval" in node) return [[["approval"], node.approval]];
  if ("persona" in node) return [[["with", "message"], node.message]];
  return textsIn(node.with, ["with"]);
}

function textsIn(value: unknown, path: ConfigPath): [ConfigPath, string][] {
  if (typeof value === "string") return [[path, value]];
  if (typeof value !== "object" || value === null) return [];
  const entries: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return entries.flatMap(([key, item]) => textsIn(item, [...path, key]));
}

function personaProblem(target: string, persona: PersonaSettings, settings: Settings): string | undefined {
  const { name, tenant, capabilities } = persona;
  if (target === name) return "a workflow that hands work to itself would never come to an end; name another persona";
  if (!settings.personas.some((other) => other.name === target && other.tenant === tenant)) {
    return `no persona "${target}" is configured in tenant ${tenant}; add it, or name another`;
  }
  if (allows(capabilities.allow, `persona.send:${target}`)) return undefined;
  return `${name} may not send to "${target}"; add persona.send:${target} to its capabilities.allow`;
}

/** What a persona must have to have a host tool; undefined when it has it. */
const TOOL_NEEDS: Readonly<Record<string, (persona: PersonaSettings, args: ToolArguments) => string | undefined>> = {
  persona_send: needsSend,
  persona_task_status: needsSend,
  persona_list: needsSend,
  ask_caller: ({ followUps }) => (followUps ? undefined : "followUps: true"),
  net_http: ({ capabilities }) => (allows(capabilities.allow, "net.http") ? undefined : "the capability net.http"),
  channel_send: needsChannel,
  a2a_call: ({ policy }) =>
    policy?.mode === "enforce" && policy.tools.includes("a2a_call")
      ? undefined
      : "a policy with mode: enforce and a2a_call among its tools",
};

type ToolArguments = Readonly<Record<string, unknown>>;

function toolProblem(node: WorkflowNode, persona: PersonaSettings): string | undefined {
  if (!("tool" in node)) return undefined;
  const { tool } = node;
  const lackOf = Object.hasOwn(TOOL_NEEDS, tool) ? TOOL_NEEDS[tool] : undefined;
  if (lackOf === undefined) return `"${tool}" is no host tool; use ${listed(Object.keys(TOOL_NEEDS))}`;
  const lacks = lackOf(persona, node.with);
  return lacks === undefined ? undefined : `${persona.name} does not have ${tool}; it needs ${lacks}`;
}

function needsSend({ capabilities }: PersonaSettings): string | undefined {
  return allowsSome(capabilities.allow, "persona.send") ? undefined : "a capability such as persona.send:*";
}

function needsChannel({ capabilities }: PersonaSettings, { channel }: ToolArguments): string | undefined {
  if (typeof channel === "string" && !channel.includes("{{")) {
    return allows(capabilities.allow, `channel.send:${channel}`) ? undefined : `the capability channel.send:${channel}`;
  }
  return allowsSome(capabilities.allow, "channel.send") ? undefined : "a capability such as channel.send:*";
}
