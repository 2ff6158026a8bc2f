import { invalidArgument } from "../../shared/errors.js";
import type { JsonObject, JsonValue } from "../../shared/json.js";
import { LIMITS } from "./limits.js";

/**
 * Checks of values that came as JSON. Each takes the value and the path that an error should name, and answers with
 * the value, typed. ProtoJSON and both versions of the protocol let `null` stand for a field that is not set.
 *
 * They are plain functions because a request passes through them in microseconds; a schema library took ten times as
 * long as the rest of the edge.
 */
type Fields = Record<string, unknown>;

export function object(value: unknown, field: string): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalidArgument(field, value === undefined || value === null ? "is required" : "must be an object");
  }
  return value as Fields;
}

export function optionalObject(value: unknown, field: string): Fields | undefined {
  return value === undefined || value === null ? undefined : object(value, field);
}

/** Text that a client may have written: any length that the body allows, but valid Unicode. */
export function text(value: unknown, field: string): string {
  if (typeof value !== "string") {
    throw invalidArgument(field, value === undefined || value === null ? "is required" : "must be a string");
  }
  if (!isWellFormed(value)) throw invalidArgument(field, "must not contain unpaired surrogates");
  return value;
}

/** A name, label or reference: bounded, and absent when empty, as in ProtoJSON. */
export function optionalLabel(value: unknown, field: string, max: number = LIMITS.labelLength): string | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  const label = text(value, field);
  if (label.length > max) throw invalidArgument(field, `must not be longer than ${max} characters`);
  return label;
}

/** An id: not empty, bounded, without control characters. */
export function id(value: unknown, field: string): string {
  const name = text(value, field);
  if (name === "") throw invalidArgument(field, "must not be empty");
  return checkedId(name, field);
}

export function optionalId(value: unknown, field: string): string | undefined {
  return value === undefined || value === null || value === "" ? undefined : checkedId(text(value, field), field);
}

function checkedId(name: string, field: string): string {
  if (name.length > LIMITS.idLength) {
    throw invalidArgument(field, `must not be longer than ${LIMITS.idLength} characters`);
  }
  if (hasControlCharacter(name)) throw invalidArgument(field, "must not contain control characters");
  return name;
}

function hasControlCharacter(name: string): boolean {
  for (let at = 0; at < name.length; at++) {
    const code = name.charCodeAt(at);
    if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return true;
  }
  return false;
}

export function optionalBoolean(value: unknown, field: string): boolean | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "boolean") throw invalidArgument(field, "must be true or false");
  return value;
}

/** An int32 that is not negative. */
export function optionalCount(value: unknown, field: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "number" || !Number.isInteger(value)) throw invalidArgument(field, "must be a whole number");
  if (value < 0) throw invalidArgument(field, `must not be negative, got ${value}`);
  if (value > 0x7fffffff) throw invalidArgument(field, "is too large");
  return value;
}

/** A list of bounded strings; absent when empty. */
export function optionalLabels(
  value: unknown,
  field: string,
  max: { items: number; length: number },
): string[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) throw invalidArgument(field, "must be a list of strings");
  if (value.length > max.items) throw invalidArgument(field, `must not have more than ${max.items} items`);
  if (value.length === 0) return undefined;
  for (let at = 0; at < value.length; at++) {
    if (optionalLabel(value[at], `${field}[${at}]`, max.length) === undefined) {
      throw invalidArgument(`${field}[${at}]`, "must not be empty");
    }
  }
  return value as string[];
}

/** Free-form JSON with string keys (`google.protobuf.Struct`). */
export function optionalStruct(value: unknown, field: string): JsonObject | undefined {
  const fields = optionalObject(value, field);
  if (fields === undefined) return undefined;
  json(fields, field);
  return fields as JsonObject;
}

/** Free-form JSON (`google.protobuf.Value`): bounded in depth, finite numbers, valid Unicode. */
export function json(value: unknown, field: string, depth = 1): JsonValue {
  switch (typeof value) {
    case "string":
      text(value, field);
      break;
    case "number":
      // JSON.parse reads 1e999 as Infinity, which JSON cannot say.
      if (!Number.isFinite(value)) throw invalidArgument(field, "must not contain numbers out of range");
      break;
    case "object":
      if (value === null) break;
      if (depth > LIMITS.depth) throw invalidArgument(field, `must not be nested deeper than ${LIMITS.depth} levels`);
      if (Array.isArray(value)) for (const item of value) json(item, field, depth + 1);
      else
        for (const key of Object.keys(value)) {
          text(key, field);
          json((value as Fields)[key], field, depth + 1);
        }
  }
  return value as JsonValue;
}

const STANDARD_BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const ANY_BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** Base64 in any of the spellings that ProtoJSON readers accept, as standard base64 with padding. */
export function base64(value: unknown, field: string): string {
  const encoded = text(value, field);
  if (encoded.length % 4 === 0 && STANDARD_BASE64.test(encoded)) return encoded;
  const padding = encoded.endsWith("==") ? 2 : encoded.endsWith("=") ? 1 : 0;
  const bare = encoded.slice(0, encoded.length - padding);
  if (!ANY_BASE64.test(encoded) || bare.length % 4 === 1 || (padding > 0 && encoded.length % 4 !== 0)) {
    throw invalidArgument(field, "must be base64");
  }
  return Buffer.from(bare, "base64url").toString("base64");
}

/** `String.prototype.isWellFormed` of ES2024, which Node has since version 20. */
function isWellFormed(value: string): boolean {
  return (value as string & { isWellFormed(): boolean }).isWellFormed();
}
