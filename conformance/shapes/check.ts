import { deviates, shown } from "../deviation.js";
import type { Field, Shapes } from "./shape.js";

export type Json = Record<string, unknown>;

/**
 * Holds a value that came over the wire against its shape: every field known, of its type and spelling, nothing missing
 * that must be there, and no `null` for what is absent.
 */
export function checkShape(shapes: Shapes, name: string, value: unknown, where = name): void {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    deviates(where, `must be a ${name}, is ${shown(value)}`);
  }
  const given = value as Json;
  const kinds = shapes.kinds(name);
  if (kinds !== undefined) {
    const kind = String(given.kind);
    const of =
      kinds[kind] ?? deviates(`${where}.kind`, `is ${shown(given.kind)}, and not ${Object.keys(kinds).join()}`);
    checkShape(shapes, of, value, where);
    return;
  }
  const shape = shapes.get(name);
  if (shape === undefined) throw new Error(`there is no shape ${name}`);
  for (const key of Object.keys(given)) {
    if (!shape.fields.has(key)) deviates(where, `${name} has no field ${key}`);
  }
  let alternatives = 0;
  for (const field of shape.fields.values()) {
    if (!(field.name in given)) {
      if (field.required) deviates(where, `${name}.${field.name} must be there`);
      continue;
    }
    if (field.alternative) alternatives += 1;
    checkField(shapes, field, given[field.name], `${where}.${field.name}`);
  }
  const some = [...shape.fields.values()].some(({ alternative }) => alternative);
  if (some && alternatives !== 1) deviates(where, `${name} must have one of its alternatives, has ${alternatives}`);
}

function checkField(shapes: Shapes, field: Field, value: unknown, where: string): void {
  if (field.list) {
    if (!Array.isArray(value)) deviates(where, `must be a list, is ${shown(value)}`);
    const items = value as unknown[];
    if (items.length === 0 && field.required && !field.mayBeEmpty) deviates(where, "must have at least one item");
    items.forEach((item, at) => {
      checkValue(shapes, field.type, item, `${where}[${at}]`);
    });
  } else if (field.map) {
    if (!isObject(value)) deviates(where, `must be an object, is ${shown(value)}`);
    for (const [key, item] of Object.entries(value as Json)) checkValue(shapes, field.type, item, `${where}.${key}`);
  } else {
    checkValue(shapes, field.type, value, where);
    if (field.required && field.type === "string" && value === "" && !EMPTY_TEXTS.has(field.name)) {
      deviates(where, "must not be empty");
    }
  }
}

/** Texts that may be empty although they must be there: what somebody said, and the token after the last page. */
const EMPTY_TEXTS = new Set(["text", "nextPageToken", "description"]);

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);

/** 5.6.1: ISO 8601, in UTC, which is said by `Z`. */
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const SCALARS: Readonly<Record<string, [what: string, is: (value: unknown) => boolean]>> = {
  string: ["text", (value) => typeof value === "string"],
  bool: ["true or false", (value) => typeof value === "boolean"],
  int32: ["a whole number", (value) => Number.isInteger(value)],
  bytes: ["base64", (value) => typeof value === "string" && BASE64.test(value)],
  Timestamp: ["a time in UTC", (value) => typeof value === "string" && TIMESTAMP.test(value)],
  Struct: ["an object", isObject],
  Value: ["a JSON value", (value) => value !== undefined],
};

function checkValue(shapes: Shapes, type: string, value: unknown, where: string): void {
  if (type.startsWith("=")) {
    if (value !== type.slice(1)) deviates(where, `must be ${shown(type.slice(1))}, is ${shown(value)}`);
    return;
  }
  const scalar = SCALARS[type];
  if (scalar !== undefined) {
    const [what, is] = scalar;
    if (!is(value)) deviates(where, `must be ${what}, is ${shown(value)}`);
    return;
  }
  const names = shapes.enum(type);
  if (names === undefined) checkShape(shapes, type, value, where);
  else if (!names.slice(1).includes(value as string)) deviates(where, `${shown(value)} is no ${type}`);
}
