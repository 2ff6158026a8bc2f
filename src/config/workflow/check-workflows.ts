import type { Findings } from "../findings.js";
import type { Settings } from "../schema/root.js";
import { graphIsSound } from "./graph.js";
import { personaProblem } from "./target-persona.js";
import { checkTemplates } from "./templates.js";
import { toolProblem } from "./tool-needs.js";

/** A workflow is known as a whole before it runs, so what cannot work in it is refused here and not in the middle of a task. */
export function checkWorkflows(settings: Settings, findings: Findings): void {
  settings.personas.forEach((persona, index) => {
    const { nodes } = persona;
    if (nodes === undefined || persona.runtime !== "workflow") return;
    const path = ["personas", index, "nodes"];
    if (!graphIsSound(nodes, path, findings)) return;
    nodes.forEach((node, at) => {
      checkTemplates(node, nodes, [...path, at], findings);
      if ("approval" in node) return;
      const problem = "persona" in node ? personaProblem(node.persona, persona, settings) : toolProblem(node, persona);
      if (problem !== undefined) findings.refuse([...path, at, "persona" in node ? "persona" : "tool"], problem);
    });
  });
}
