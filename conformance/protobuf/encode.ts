import type { Field, Shapes } from "../shapes/shape.js";
import { WIRE, Writer } from "./bytes.js";
import { writeStruct, writeTimestamp, writeValue } from "./well-known.js";

/** The bytes of a message, from the ProtoJSON that stands for it. What a message cannot say is a fault of the case. */
export function encode(shapes: Shapes, name: string, json: Record<string, unknown>): Buffer {
  const shape = shapes.get(name);
  if (shape === undefined) throw new Error(`there is no message ${name}`);
  const out = new Writer();
  for (const [key, value] of Object.entries(json)) {
    if (value === undefined || (value === null && shape.fields.get(key)?.type !== "Value")) continue;
    const field = shape.fields.get(key);
    if (field === undefined) throw new Error(`${name} has no field ${key}`);
    if (field.list) for (const item of value as unknown[]) write(out, shapes, field, item);
    else if (field.map) for (const entry of Object.entries(value as object)) writeEntry(out, shapes, field, entry);
    else write(out, shapes, field, value);
  }
  return out.done();
}

function writeEntry(out: Writer, shapes: Shapes, field: Field, [key, value]: [string, unknown]): void {
  const entry = new Writer();
  entry.tag(1, WIRE.bytes);
  entry.bytes(Buffer.from(key));
  write(entry, shapes, { ...field, number: 2 }, value);
  out.tag(field.number, WIRE.bytes);
  out.bytes(entry.done());
}

function write(out: Writer, shapes: Shapes, field: Field, value: unknown): void {
  if (field.type === "bool" || field.type === "int32" || shapes.enum(field.type) !== undefined) {
    out.tag(field.number, WIRE.varint);
    out.varint(numberOf(shapes, field, value));
    return;
  }
  out.tag(field.number, WIRE.bytes);
  out.bytes(bytesOf(shapes, field.type, value));
}

function numberOf(shapes: Shapes, field: Field, value: unknown): bigint {
  const names = shapes.enum(field.type);
  // An enum may be sent by its number, to have one that nobody knows.
  if (names === undefined || typeof value === "number") return BigInt(Number(value));
  const number = names.indexOf(value as string);
  if (number < 0) throw new Error(`${value} is no ${field.type}`);
  return BigInt(number);
}

function bytesOf(shapes: Shapes, type: string, value: unknown): Buffer {
  switch (type) {
    case "string":
      if (typeof value !== "string") throw new Error(`${JSON.stringify(value)} is no text`);
      return Buffer.from(value);
    case "bytes":
      return Buffer.from(value as string, "base64");
    case "Struct":
      return writeStruct(value as Record<string, unknown>);
    case "Value":
      return writeValue(value);
    case "Timestamp":
      return writeTimestamp(value as string);
    default:
      return encode(shapes, type, value as Record<string, unknown>);
  }
}
