import { z } from "zod";
import type { WorkflowNode } from "../../personas/workflow.js";
import { anyText, list, milliseconds, name, object, text } from "../fields.js";

/** It stands in templates, between dots: `{{nodes.ID.output}}`. */
const nodeId = () =>
  z
    .string({ error: "use a letter, then at most 63 letters, digits, '_' or '-'" })
    .regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/);

const forPersona = object({ message: anyText(), timeoutMs: milliseconds().optional() });

const node = object({
  id: nodeId(),
  persona: name().optional(),
  tool: name().optional(),
  approval: text("what the operator is asked").optional(),
  with: z.record(z.string(), z.unknown(), { error: "use a map" }).optional(),
  needs: list(nodeId()).default([]),
})
  .superRefine((given, context) => {
    const kinds = (["persona", "tool", "approval"] as const).filter((kind) => given[kind] !== undefined);
    if (kinds.length !== 1) {
      const found = kinds.length === 0 ? "nothing is given" : `${kinds.join(" and ")} stand together`;
      context.addIssue({
        code: "custom",
        message: `${found}; a node has exactly one of persona, tool or approval`,
      });
    } else if (given.approval !== undefined && given.with !== undefined) {
      context.addIssue({ code: "custom", path: ["with"], message: "goes with persona and tool; remove it" });
    } else if (given.persona !== undefined) {
      const problems = forPersona.safeParse(given.with).error?.issues ?? [];
      for (const issue of problems) context.addIssue({ ...issue, path: ["with", ...issue.path] } as never);
    }
  })
  .transform(({ id, needs, persona, tool, approval, with: args = {} }): WorkflowNode => {
    if (persona !== undefined) return { id, needs, persona, ...(args as { message: string }) };
    return tool === undefined ? { id, needs, approval: approval ?? "" } : { id, needs, tool, with: args };
  });

export const nodes = list(node).min(1, { error: "use at least one node" });
