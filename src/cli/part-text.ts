import type { ArtifactJson, MessageJson, PartJson } from "../http/control/schema/message.js";
import { harmless } from "./harmless.js";

/** What an artifact or message says, for a terminal: text as it is, the rest described. */
export function partsText({ parts }: Pick<MessageJson, "parts">): string {
  return parts.map(partText).join("\n");
}

export function partText(part: PartJson): string {
  if (part.text !== undefined) return harmless(part.text);
  const name = harmless(part.filename ?? part.mediaType ?? "file");
  if (part.url !== undefined) return `[${name}: ${harmless(part.url)}]`;
  if (part.raw !== undefined) return `[${name}: ${Math.floor((part.raw.length * 3) / 4)} bytes]`;
  return harmless(JSON.stringify(part.data, null, 2) ?? "");
}

/** All that a task has made; artifacts are told apart by their names where there are several. */
export function artifactsText(artifacts: readonly ArtifactJson[]): string {
  if (artifacts.length === 1) return partsText(artifacts[0] as ArtifactJson);
  return artifacts.map((artifact) => `${titleOf(artifact)}:\n${partsText(artifact)}`).join("\n\n");
}

export const titleOf = ({ name, artifactId }: ArtifactJson): string => harmless(name ?? artifactId);
