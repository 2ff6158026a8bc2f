import { invalidArgument } from "../../../shared/errors.js";
import type { JsonObject, JsonValue } from "../../../shared/json.js";
import type { Part } from "../../../tasks/message.js";
import * as check from "../check.js";
import { LIMITS } from "../limits.js";

/**
 * Data parts of 0.3 hold objects only. The official SDKs carry other values as `{ "value": … }` under this mark, and so
 * do we, in both directions.
 */
const WRAPPED = "data_part_compat";

/** A2A 0.3, 6.5. */
export function readParts(value: unknown, field: string): Part[] {
  if (!Array.isArray(value)) {
    throw invalidArgument(field, value === undefined || value === null ? "is required" : "must be a list");
  }
  if (value.length === 0) throw invalidArgument(field, "must have at least one part");
  if (value.length > LIMITS.parts) throw invalidArgument(field, `must not have more than ${LIMITS.parts} parts`);
  return value.map((part, at) => readPart(part, `${field}[${at}]`));
}

function readPart(value: unknown, field: string): Part {
  const given = check.object(value, field);
  const metadata = check.optionalStruct(given.metadata, `${field}.metadata`);
  switch (given.kind) {
    case "text":
      return withMetadata({ text: check.text(given.text, `${field}.text`) }, metadata);
    case "file":
      return withMetadata(readFile(given.file, `${field}.file`), metadata);
    case "data":
      return readData(given.data, `${field}.data`, metadata);
    default:
      throw invalidArgument(`${field}.kind`, given.kind === undefined ? "is required" : "must be text, file or data");
  }
}

function readFile(value: unknown, field: string): Part {
  const file = check.object(value, field);
  const hasBytes = file.bytes !== undefined && file.bytes !== null;
  const hasUri = file.uri !== undefined && file.uri !== null;
  if (hasBytes === hasUri) throw invalidArgument(field, "must have exactly one of bytes and uri");
  const part: Part = hasBytes
    ? { raw: check.base64(file.bytes, `${field}.bytes`) }
    : { url: check.text(file.uri, `${field}.uri`) };
  if ("url" in part && (part.url === "" || part.url.length > LIMITS.uriLength)) {
    throw invalidArgument(`${field}.uri`, `must have 1 to ${LIMITS.uriLength} characters`);
  }
  const filename = check.optionalLabel(file.name, `${field}.name`);
  const mediaType = check.optionalLabel(file.mimeType, `${field}.mimeType`);
  if (filename !== undefined) part.filename = filename;
  if (mediaType !== undefined) part.mediaType = mediaType;
  return part;
}

function readData(value: unknown, field: string, metadata: JsonObject | undefined): Part {
  const data = check.object(value, field);
  check.json(data, field);
  if (metadata?.[WRAPPED] === true && "value" in data) {
    const { [WRAPPED]: _mark, ...rest } = metadata;
    return withMetadata({ data: data.value as JsonValue }, Object.keys(rest).length === 0 ? undefined : rest);
  }
  return withMetadata({ data: data as JsonObject }, metadata);
}

const withMetadata = (part: Part, metadata: JsonObject | undefined): Part =>
  metadata === undefined ? part : { ...part, metadata };

export function writePart(part: Part): object {
  const metadata = part.metadata === undefined ? {} : { metadata: part.metadata };
  if ("text" in part) return { kind: "text", text: part.text, ...metadata };
  if ("data" in part) return writeData(part.data, part.metadata);
  return {
    kind: "file",
    file: {
      ...("raw" in part ? { bytes: part.raw } : { uri: part.url }),
      ...(part.mediaType === undefined ? {} : { mimeType: part.mediaType }),
      ...(part.filename === undefined ? {} : { name: part.filename }),
    },
    ...metadata,
  };
}

function writeData(data: JsonValue, metadata: JsonObject | undefined): object {
  if (typeof data === "object" && data !== null && !Array.isArray(data)) {
    return { kind: "data", data, ...(metadata === undefined ? {} : { metadata }) };
  }
  return { kind: "data", data: { value: data }, metadata: { ...metadata, [WRAPPED]: true } };
}
