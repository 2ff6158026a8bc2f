import type { z } from "zod";
import { parseCapability } from "../../personas/capabilities.js";
import { anyText, flag, list, milliseconds, name, object, oneOf, text, wholeNumber } from "../fields.js";
import { policy } from "./policy.js";
import { script } from "./script.js";
import { nodes } from "./workflow.js";

const capability = text("a capability", 256).refine((label) => parseCapability(label) !== null, {
  error: "is not a capability; use area.verb or area.verb:scope, such as persona.send:researcher or persona.send:*",
});

export const persona = object({
  name: name(),
  description: anyText(1024).optional(),
  model: text("the name of a model", 256).optional(),
  provider: name().optional(),
  systemPromptFile: text("the path of a file").optional(),
  skills: list(name()).default([]),
  tenant: name().default("default"),
  visibility: oneOf("private", "public").default("private"),
  maxConcurrent: wholeNumber(1, 1000).default(2),
  streaming: flag().default(true),
  push: flag().default(true),
  extendedCard: flag().default(true),
  followUps: flag().default(true),
  capabilities: object({ allow: list(capability).default([]), requireApproval: list(capability).default([]) }).prefault(
    {},
  ),
  policy: policy.optional(),
  runtime: oneOf("model", "command", "scripted", "workflow").optional(),
  script: script.optional(),
  nodes: nodes.optional(),
  /** Model calls in one run. */
  maxSteps: wholeNumber(1, 1000).default(50),
  /** Of a model run. */
  timeoutMs: milliseconds().default(600_000),
});

export type PersonaSettings = z.output<typeof persona>;
