import { expect, it } from "vitest";
import type { WorkflowNode } from "../../personas/workflow.js";
import type { JsonValue } from "../../shared/json.js";
import { failureOf } from "./node-failure.js";

const persona: WorkflowNode = { id: "n", needs: [], persona: "writer", message: "x" };
const call: WorkflowNode = { id: "n", needs: [], tool: "a2a_call", with: {} };
const other: WorkflowNode = { id: "n", needs: [], tool: "persona_task_status", with: {} };
const approval: WorkflowNode = { id: "n", needs: [], approval: "?" };

it.each<[string, WorkflowNode, JsonValue, boolean, string | null]>([
  ["a reply", persona, { status: "completed", reply: "x" }, false, null],
  ["a persona that fails", persona, { status: "failed", error: "no ink" }, false, "node n: writer: no ink"],
  ["a persona that is late", persona, { status: "timeout", message: "late" }, false, "node n: writer: late"],
  ["an agent that answers", call, { status: "completed", reply: "x" }, false, null],
  ["an agent that fails", call, { status: "failed", error: "no ink" }, false, "node n: the agent: no ink"],
  ["an agent that says nothing", call, { status: "rejected", error: "" }, false, "node n: the agent: rejected"],
  ["an agent that asks", call, { status: "input_required", asks: "who?" }, false, "node n: the agent: who?"],
  ["an agent that is refused", call, { status: "refused", error: "no card" }, true, "node n: no card"],
  ["a status that is only read", other, { status: "failed", error: "no ink" }, false, null],
  ["an error without words", other, { reason: "X" }, true, 'node n: {"reason":"X"}'],
  ["a result that is text", other, "x", false, null],
  ["an approval", approval, { decision: "approved", reason: null }, false, null],
  [
    "words without an end",
    persona,
    { status: "failed", error: "€".repeat(9999) },
    false,
    `node n: writer: ${"€".repeat(682)}`,
  ],
])("E18 %s", (_, node, value, isError, reason) => {
  const failure = failureOf(node, { type: "result", value, text: "", isError });
  expect(failure).toEqual(reason === null ? null : { reason, retryable: false });
});

it("E18 an error says itself whether trying again may help", () => {
  const failed = (value: JsonValue) => failureOf(other, { type: "result", value, text: "", isError: true })?.retryable;
  expect([failed({ error: "x", retryable: true }), failed({ error: "x", retryable: "true" }), failed(null)]).toEqual([
    true,
    false,
    false,
  ]);
});
