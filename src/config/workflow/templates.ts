import { doneBefore, type WorkflowNode } from "../../personas/workflow.js";
import { namesIn } from "../../shared/template.js";
import type { ConfigPath } from "../config-error.js";
import { listed } from "../fields.js";
import type { Findings } from "../findings.js";
import { knownIds } from "./graph.js";

/** What a template can name in every workflow. */
const OF_RUN: ReadonlySet<string> = new Set(["input.text", "input.message", "input.data", "turn", "attempt"]);

/** Refuses what the templates of a node name and what will not be there when it is begun. */
export function checkTemplates(
  node: WorkflowNode,
  nodes: readonly WorkflowNode[],
  path: ConfigPath,
  findings: Findings,
): void {
  const before = doneBefore(nodes, node);
  for (const [place, template] of textsOf(node)) {
    for (const name of namesIn(template)) {
      const problem = problemOf(name, nodes, before);
      if (problem !== undefined) findings.refuse([...path, ...place], problem);
    }
  }
}

function problemOf(name: string, nodes: readonly WorkflowNode[], before: ReadonlySet<string>): string | undefined {
  if (OF_RUN.has(name)) return undefined;
  const [area, id = "", output, ...fields] = name.split(".");
  if (area !== "nodes" || output !== "output" || fields.includes("")) {
    return `{{${name}}} is no name here; use ${listed([...OF_RUN, "nodes.ID.output"])}`;
  }
  if (!nodes.some((node) => node.id === id)) {
    return `{{${name}}}: "${id}" is no node of this workflow; use ${knownIds(nodes)}`;
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
