import { z } from "zod";
import { list, name, object, text } from "../fields.js";

const node = object({
  id: name(),
  persona: name().optional(),
  tool: name().optional(),
  approval: text().optional(),
  with: z.record(z.string(), z.unknown(), { error: "use a map" }).optional(),
  needs: list(name()).default([]),
});

export const nodes = list(node);
