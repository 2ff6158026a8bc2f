import { invalidArgument } from "../../../shared/errors.js";
import { quoted } from "../../../shared/quoted.js";
import type { Part, PartContent } from "../../../tasks/message.js";
import * as check from "../check.js";
import { LIMITS } from "../limits.js";

/** A2A 1.0, 4.1.6. Our own parts have this shape. */
export function readParts(value: unknown, field: string): Part[] {
  if (!Array.isArray(value)) {
    throw invalidArgument(field, value === undefined || value === null ? "is required" : "must be a list");
  }
  if (value.length === 0) throw invalidArgument(field, "must have at least one part");
  if (value.length > LIMITS.parts) throw invalidArgument(field, `must not have more than ${LIMITS.parts} parts`);
  const parts: Part[] = [];
  for (let at = 0; at < value.length; at++) parts.push(readPart(value[at], `${field}[${at}]`));
  return parts;
}

function readPart(value: unknown, field: string): Part {
  const given = check.object(value, field);
  const part: Part = readContent(given, field);
  const metadata = check.optionalStruct(given.metadata, `${field}.metadata`);
  const filename = check.optionalLabel(given.filename, `${field}.filename`);
  const mediaType = check.optionalLabel(given.mediaType, `${field}.mediaType`);
  if (metadata !== undefined) part.metadata = metadata;
  if (filename !== undefined) part.filename = filename;
  if (mediaType !== undefined) part.mediaType = mediaType;
  return part;
}

function readContent(given: Record<string, unknown>, field: string): PartContent {
  const hasText = isSet(given.text);
  const hasRaw = isSet(given.raw);
  const hasUrl = isSet(given.url);
  const others = Number(hasText) + Number(hasRaw) + Number(hasUrl);
  // Of the four only `data` has null among its values.
  const hasData = isSet(given.data) || (given.data === null && others === 0);
  if (others + Number(hasData) !== 1) {
    throw invalidArgument(field, "must have exactly one of text, raw, url and data");
  }
  if (hasText) return { text: check.text(given.text, `${field}.text`) };
  if (hasRaw) return { raw: check.base64(given.raw, `${field}.raw`) };
  if (hasUrl) return { url: readUrl(given.url, `${field}.url`) };
  return { data: check.json(given.data, `${field}.data`) };
}

function readUrl(value: unknown, field: string): string {
  const url = check.optionalLabel(value, field, LIMITS.uriLength);
  if (url === undefined) throw invalidArgument(field, "must not be empty");
  return url;
}

/** JSON text. */
export const writePart = (part: Part): string =>
  "text" in part && part.metadata === undefined && part.filename === undefined && part.mediaType === undefined
    ? `{"text":${quoted(part.text)}}`
    : JSON.stringify(part);

const isSet = (value: unknown): boolean => value !== undefined && value !== null;
