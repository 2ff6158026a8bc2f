import { circleIn, type WorkflowNode } from "../../personas/workflow.js";
import type { ConfigPath } from "../config-error.js";
import { listed } from "../fields.js";
import type { Findings } from "../findings.js";

/** Whether each need names one node, and all nodes can be brought into an order; what is in the way is refused. */
export function graphIsSound(nodes: readonly WorkflowNode[], path: ConfigPath, findings: Findings): boolean {
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
      if (places.has(need)) return;
      refuse([at, "needs", place], `"${need}" is no node of this workflow; use ${knownIds(nodes)}`);
    });
  });
  if (!sound) return false;
  const circle = circleIn(nodes)?.map(({ id }) => id);
  if (circle === undefined) return true;
  const [first = "", second = first] = circle;
  const at = places.get(first) ?? 0;
  const place = nodes[at]?.needs.indexOf(second) ?? 0;
  refuse([at, "needs", place], `${[...circle, first].join(" needs ")}, so that none can begin; remove one of these`);
  return sound;
}

export const knownIds = (nodes: readonly WorkflowNode[]): string => listed(nodes.map(({ id }) => id).slice(0, 10));
