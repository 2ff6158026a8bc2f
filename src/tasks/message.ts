import type { JsonObject, JsonValue } from "../shared/json.js";

/**
 * What passes between agents, in the shape of A2A 1.0 JSON (spec 4.1.4, 4.1.6, 4.1.7): codecs at the edge translate
 * other versions into it. Exactly one of text, raw, url and data stands in a part.
 */
export type Part = PartContent & { metadata?: JsonObject; filename?: string; mediaType?: string };
export type PartContent = { text: string } | { raw: string } | { url: string } | { data: JsonValue };

export interface Message {
  messageId: string;
  role: "user" | "agent";
  parts: Part[];
  metadata?: JsonObject;
  extensions?: string[];
  referenceTaskIds?: string[];
}

export interface Artifact {
  artifactId: string;
  name?: string;
  description?: string;
  parts: Part[];
  metadata?: JsonObject;
  extensions?: string[];
}

/** All text parts, in order, joined by line breaks: what a prompt or a rule sees of a message. */
export function textOf(content: { parts: readonly Part[] }): string {
  const texts: string[] = [];
  for (const part of content.parts) if ("text" in part) texts.push(part.text);
  return texts.join("\n");
}

/** The first data part, for templates; undefined when there is none. */
export function dataOf(content: { parts: readonly Part[] }): JsonValue | undefined {
  for (const part of content.parts) if ("data" in part) return part.data;
  return undefined;
}
