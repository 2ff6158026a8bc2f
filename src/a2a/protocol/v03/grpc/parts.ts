import { invalidArgument } from "../../../../shared/errors.js";
import type { JsonObject, JsonValue } from "../../../../shared/json.js";

/** Parts, which JSON tells apart by `kind` and protocol buffers by the field that is set. */

/** The message of a request, as JSON of 0.3. Which of the fields it has, and what is in them, is for the codec to check. */
export function readMessage(message: JsonValue | undefined): JsonValue | undefined {
  if (message === undefined) return undefined;
  const { parts = [], ...rest } = message as JsonObject;
  return {
    ...rest,
    kind: "message",
    parts: (parts as JsonObject[]).map((part, at) => readPart(part, `message.parts[${at}]`)),
  };
}

function readPart({ metadata, ...content }: JsonObject, field: string): JsonObject {
  const kept: JsonObject = metadata === undefined ? {} : { metadata };
  if (content.text !== undefined) return { kind: "text", text: content.text, ...kept };
  if (content.file !== undefined) return { kind: "file", file: content.file, ...kept };
  if (content.data !== undefined) return { kind: "data", data: (content.data as JsonObject).data ?? {}, ...kept };
  throw invalidArgument(field, "must have one of text, file and data");
}

export function writeMessage(message: JsonObject): JsonObject {
  return { ...message, parts: writeParts(message) };
}

const writeParts = ({ parts }: JsonObject): JsonValue => (parts as JsonObject[]).map(writePart);

function writePart({ kind, data, ...rest }: JsonObject): JsonObject {
  return kind === "data" ? { ...rest, data: { data: data as JsonObject } } : rest;
}

export function writeArtifact(artifact: JsonObject): JsonObject {
  return { ...artifact, parts: writeParts(artifact) };
}
