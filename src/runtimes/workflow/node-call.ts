import type { WorkflowNode } from "../../personas/workflow.js";
import type { JsonValue } from "../../shared/json.js";
import { fillIn, fillInJson, type LookUp } from "../../shared/template.js";
import { PERSONA_SEND } from "../outside-words.js";

/** The call that a node is: of the tool, or of the operator where there is none. */
export type NodeCall = { tool: string; args: JsonValue } | { ask: string };

/** What a persona is going to read of it is filled in as such. */
export function callOf(node: WorkflowNode, lookUp: (forPersona: boolean) => LookUp): NodeCall {
  if ("approval" in node) return { ask: fillIn(node.approval, lookUp(false)) };
  if ("tool" in node) return { tool: node.tool, args: fillInJson(node.with, lookUp(node.tool === PERSONA_SEND)) };
  const { persona, message, timeoutMs } = node;
  const args = {
    target_persona: persona,
    message: fillIn(message, lookUp(true)),
    await_reply: true,
    ...(timeoutMs === undefined ? {} : { timeout_ms: timeoutMs }),
  };
  return { tool: PERSONA_SEND, args };
}
