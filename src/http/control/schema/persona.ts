import { z } from "zod";

export const personaSummary = z.object({
  name: z.string(),
  tenant: z.string(),
  description: z.string(),
  visibility: z.enum(["private", "public"]),
  runtime: z.enum(["model", "command", "scripted", "workflow"]),
  skills: z.array(z.string()),
  maxConcurrent: z.int(),
  /** Attempts that run right now in this process. */
  running: z.int(),
});

export const personaDetail = personaSummary.extend({
  capabilities: z.object({ allow: z.array(z.string()), requireApproval: z.array(z.string()) }),
  /** What a model or command persona runs on. */
  provider: z.string().nullable(),
  model: z.string().nullable(),
  /** What it offers over A2A. */
  offers: z.object({ streaming: z.boolean(), push: z.boolean(), extendedCard: z.boolean(), followUps: z.boolean() }),
  /** Base URL of the agent on this machine's listener. */
  url: z.string().nullable(),
});

export type PersonaSummary = z.output<typeof personaSummary>;
export type PersonaDetail = z.output<typeof personaDetail>;
