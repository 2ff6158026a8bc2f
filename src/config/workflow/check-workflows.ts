import type { Findings } from "../findings.js";
import type { Settings } from "../schema/root.js";
import { graphIsSound } from "./graph.js";
import { personaLack } from "./target-persona.js";
import { checkTemplates } from "./templates.js";
import { isHostTool, NO_TOOL, toolLack } from "./tool-needs.js";

/**
 * A workflow is known as a whole before it runs, so what makes no sense in it is refused here and not in the middle of a
 * task. What it names and does not have is a warning, as it is everywhere in the file: its node fails.
 */
export function checkWorkflows(settings: Settings, findings: Findings): void {
  settings.personas.forEach((persona, index) => {
    const { nodes } = persona;
    if (nodes === undefined || persona.runtime !== "workflow") return;
    const path = ["personas", index, "nodes"];
    if (!graphIsSound(nodes, path, findings)) return;
    nodes.forEach((node, at) => {
      checkTemplates(node, nodes, [...path, at], findings);
      if ("approval" in node) return;
      const place = [...path, at, "persona" in node ? "persona" : "tool"];
      if ("persona" in node && node.persona === persona.name) findings.refuse(place, ITSELF);
      else if ("tool" in node && !isHostTool(node.tool)) findings.refuse(place, `"${node.tool}" ${NO_TOOL}`);
      else {
        const lack = "persona" in node ? personaLack(node.persona, persona, settings) : toolLack(node, persona);
        if (lack !== undefined) findings.warn(place, `this node will fail: ${lack}`);
      }
    });
  });
}

const ITSELF = "a workflow that hands work to itself would never come to an end; name another persona";
