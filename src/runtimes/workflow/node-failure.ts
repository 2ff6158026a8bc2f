import type { WorkflowNode } from "../../personas/workflow.js";
import type { JsonObject, JsonValue } from "../../shared/json.js";
import type { ToolResult } from "../../tasks/runner.js";
import { cutText } from "../../tools/cut-text.js";

/** Of somebody else's words in the reason of a failure, in bytes. */
const REASON_BYTES = 2048;

export interface NodeFailure {
  reason: string;
  /** Trying the node again may help. */
  retryable: boolean;
}

/** Why a node that has its result has failed; null when it has not. */
export function failureOf(node: WorkflowNode, { value, isError }: ToolResult): NodeFailure | null {
  const facts = factsOf(value);
  const because = (why: string): NodeFailure => ({
    reason: `node ${node.id}: ${why}`,
    retryable: facts.retryable === true,
  });
  if (isError) return because(textOf(facts.error) || cutText(JSON.stringify(value), REASON_BYTES));
  if (!isAnswer(node) || facts.status === "completed") return null;
  // Of a persona `failed` or `timeout`; of an agent outside also that it asks for something, which nobody here can give.
  const said = textOf(facts.error) || textOf(facts.asks) || textOf(facts.message);
  return because(`${"persona" in node ? node.persona : "the agent"}: ${said || textOf(facts.status)}`);
}

/** The persona has as many delegations at this time as it may have. */
export const isBusy = (node: WorkflowNode, { value, isError }: ToolResult): boolean =>
  isError && "persona" in node && factsOf(value).reason === "maxConcurrentPerTarget";

/** Its result is what somebody answers, who may have failed. */
const isAnswer = (node: WorkflowNode): boolean => "persona" in node || ("tool" in node && node.tool === "a2a_call");

const factsOf = (value: JsonValue): JsonObject =>
  value !== null && typeof value === "object" && !Array.isArray(value) ? value : {};

const textOf = (value: JsonValue | undefined): string =>
  typeof value === "string" ? cutText(value, REASON_BYTES) : "";
