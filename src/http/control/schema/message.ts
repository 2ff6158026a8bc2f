import { z } from "zod";

/** Parts, messages and artifacts as A2A 1.0 writes them in JSON; exactly one of text, raw, url and data is set. */
const part = z.object({
  text: z.string().optional(),
  raw: z.string().optional(),
  url: z.string().optional(),
  data: z.unknown().optional(),
  filename: z.string().optional(),
  mediaType: z.string().optional(),
  metadata: z.unknown().optional(),
});

export const message = z.object({
  messageId: z.string(),
  role: z.enum(["user", "agent"]),
  parts: z.array(part),
  metadata: z.unknown().optional(),
  extensions: z.array(z.string()).optional(),
  referenceTaskIds: z.array(z.string()).optional(),
});

export const artifact = z.object({
  artifactId: z.string(),
  name: z.string().optional(),
  description: z.string().optional(),
  parts: z.array(part),
  metadata: z.unknown().optional(),
  extensions: z.array(z.string()).optional(),
});

export type PartJson = z.output<typeof part>;
export type MessageJson = z.output<typeof message>;
export type ArtifactJson = z.output<typeof artifact>;
