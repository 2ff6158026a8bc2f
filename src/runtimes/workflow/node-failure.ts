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
  if (!("persona" in node) || facts.status === "completed") return null;
  return because(`${node.persona}: ${textOf(facts.status === "timeout" ? facts.message : facts.error)}`);
}

/** The persona has as many delegations at this time as it may have. */
export const isBusy = (node: WorkflowNode, { value, isError }: ToolResult): boolean =>
  isError && "persona" in node && factsOf(value).reason === "maxConcurrentPerTarget";

const factsOf = (value: JsonValue): JsonObject =>
  value !== null && typeof value === "object" && !Array.isArray(value) ? value : {};

const textOf = (value: JsonValue | undefined): string =>
  typeof value === "string" ? cutText(value, REASON_BYTES) : "";
