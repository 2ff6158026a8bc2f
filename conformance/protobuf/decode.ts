import { deviates } from "../deviation.js";
import type { Field, Shapes } from "../shapes/shape.js";
import { Reader, WIRE } from "./bytes.js";
import { readEntry, readStruct, readTimestamp, readValue, utf8 } from "./well-known.js";

type Json = Record<string, unknown>;

/**
 * The ProtoJSON that stands for the bytes of a message: fields with their default value are left out, except where they
 * must be there. A field that the message does not have is a deviation.
 */
export function decode(shapes: Shapes, name: string, bytes: Buffer): Json {
  const shape = shapes.get(name);
  if (shape === undefined) throw new Error(`there is no message ${name}`);
  const fields = [...shape.fields.values()];
  const json: Json = {};
  const from = new Reader(bytes);
  while (!from.done) {
    const { number, wire } = from.tag();
    const field = fields.find((one) => one.number === number);
    if (field === undefined) deviates(name, `has no field ${number}`);
    if (wire !== wireOf(shapes, field)) deviates(`${name}.${field.name}`, `has the wire type ${wire}`);
    put(json, field, wire === WIRE.varint ? small(shapes, field, from) : large(shapes, field, from.bytes()));
  }
  for (const field of fields) {
    if (field.name in json) {
      if (isDefault(json[field.name]) && !field.presence && !field.required) delete json[field.name];
    } else if (field.required) {
      const value = defaultOf(shapes, field);
      if (value !== undefined) json[field.name] = value;
    }
  }
  return json;
}

const wireOf = (shapes: Shapes, { type, map }: Field): number =>
  !map && (type === "bool" || type === "int32" || shapes.enum(type) !== undefined) ? WIRE.varint : WIRE.bytes;

function put(json: Json, field: Field, value: unknown): void {
  if (field.list) {
    json[field.name] = [...((json[field.name] as unknown[] | undefined) ?? []), value];
  } else if (field.map) {
    json[field.name] = { ...(json[field.name] as Json | undefined), ...(value as Json) };
  } else {
    json[field.name] = value;
  }
}

function small(shapes: Shapes, { type, name }: Field, from: Reader): unknown {
  const value = from.varint();
  if (type === "bool") return value !== 0n;
  if (type === "int32") return Number(BigInt.asIntN(32, value));
  return shapes.enum(type)?.[Number(value)] ?? deviates(name, `${value} is no ${type}`);
}

function large(shapes: Shapes, field: Field, bytes: Buffer): unknown {
  if (field.map) {
    const [key, value] = readEntry(bytes);
    return { [key]: large(shapes, { ...field, map: false }, value) };
  }
  switch (field.type) {
    case "string":
      return utf8(bytes);
    case "bytes":
      return bytes.toString("base64");
    case "Struct":
      return readStruct(bytes);
    case "Value":
      return readValue(bytes);
    case "Timestamp":
      return readTimestamp(bytes);
    default:
      return decode(shapes, field.type, bytes);
  }
}

const isDefault = (value: unknown): boolean => value === "" || value === 0 || value === false;

/** Of a field that must be there and, having its default value, takes no bytes. */
function defaultOf(shapes: Shapes, { type, list, map }: Field): unknown {
  if (list) return [];
  if (map) return {};
  if (type === "string" || type === "bytes") return "";
  if (type === "int32") return 0;
  if (type === "bool") return false;
  return shapes.enum(type)?.[0];
}
