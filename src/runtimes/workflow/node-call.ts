import type { WorkflowNode } from "../../personas/workflow.js";
import { fillIn, fillInJson, type LookUp } from "../../shared/template.js";
import type { Run, ToolOutcome } from "../../tasks/runner.js";

/** Does what a node says. Whatever an earlier attempt has finished answers from the journal. */
export function callNode(
  node: WorkflowNode,
  lookUp: LookUp,
  tools: Run["tools"],
  callId: string,
  last: boolean,
): Promise<ToolOutcome> {
  if ("approval" in node) return tools.approve(fillIn(node.approval, lookUp), callId);
  if ("tool" in node) return tools.call(node.tool, fillInJson(node.with, lookUp), callId, { last });
  const { persona, message, timeoutMs } = node;
  const args = {
    target_persona: persona,
    message: fillIn(message, lookUp),
    await_reply: true,
    ...(timeoutMs === undefined ? {} : { timeout_ms: timeoutMs }),
  };
  return tools.call("persona_send", args, callId, { last });
}
