import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import type { JsonObject, JsonValue } from "../../../shared/json.js";
import { type Field, isEnum, isMessage, type MessageTable, type Scalar } from "./table.js";
import { readTime } from "./timestamp.js";

/**
 * Writes the ProtoJSON of a message as its bytes. The JSON is of our own making: what does not fit the table is a fault
 * of ours and throws, but for names that the table does not know, which older tables have to leave out.
 */
export function writeMessage(table: MessageTable, json: JsonObject): Buffer {
  const bytes = writeFields(new BinaryWriter(), table, json).finish();
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

function writeFields(out: BinaryWriter, table: MessageTable, json: JsonObject): BinaryWriter {
  for (const field of table.fields) {
    const value = json[field.name];
    if (value === undefined || (value === null && field.type !== "value")) continue;
    if (field.shape === "many") for (const item of value as JsonValue[]) writeOne(out, field, item);
    else if (field.shape === "map") writeMap(out, field, value as JsonObject);
    else if (field.presence || !isDefault(value)) writeOne(out, field, value);
  }
  return out;
}

function writeMap(out: BinaryWriter, field: Field, entries: JsonObject): void {
  for (const [key, value] of Object.entries(entries)) {
    out.tag(field.number, WireType.LengthDelimited).fork();
    out.tag(1, WireType.LengthDelimited).string(key);
    writeOne(out, { ...field, number: 2 }, value);
    out.join();
  }
}

function writeOne(out: BinaryWriter, { number, name, type }: Field, value: JsonValue): void {
  if (isMessage(type)) {
    writeFields(out.tag(number, WireType.LengthDelimited).fork(), type, value as JsonObject).join();
  } else if (isEnum(type)) {
    const named = type.numbers.get(value as string);
    if (named === undefined) throw new Error(`${name} has no number for ${JSON.stringify(value)}`);
    out.tag(number, WireType.Varint).int32(named);
  } else writeScalar(out, number, type, value);
}

function writeScalar(out: BinaryWriter, number: number, type: Scalar, value: JsonValue): void {
  switch (type) {
    case "string":
      out.tag(number, WireType.LengthDelimited).string(value as string);
      break;
    case "bytes":
      out.tag(number, WireType.LengthDelimited).bytes(Buffer.from(value as string, "base64"));
      break;
    case "bool":
      out.tag(number, WireType.Varint).bool(value as boolean);
      break;
    case "int32":
      out.tag(number, WireType.Varint).int32(value as number);
      break;
    case "double":
      out.tag(number, WireType.Bit64).double(value as number);
      break;
    case "timestamp": {
      const { seconds, nanos } = readTime(value as string);
      out.tag(number, WireType.LengthDelimited).fork();
      if (seconds !== 0) out.tag(1, WireType.Varint).int64(seconds);
      if (nanos !== 0) out.tag(2, WireType.Varint).int32(nanos);
      out.join();
      break;
    }
    case "struct":
      writeStruct(out.tag(number, WireType.LengthDelimited).fork(), value as JsonObject).join();
      break;
    case "value":
      writeValue(out.tag(number, WireType.LengthDelimited).fork(), value).join();
      break;
  }
}

function writeStruct(out: BinaryWriter, value: JsonObject): BinaryWriter {
  for (const [key, member] of Object.entries(value)) {
    out.tag(1, WireType.LengthDelimited).fork();
    out.tag(1, WireType.LengthDelimited).string(key);
    writeValue(out.tag(2, WireType.LengthDelimited).fork(), member).join();
    out.join();
  }
  return out;
}

/** google/protobuf/struct.proto */
function writeValue(out: BinaryWriter, value: JsonValue): BinaryWriter {
  if (value === null) return out.tag(1, WireType.Varint).int32(0);
  if (typeof value === "number") return out.tag(2, WireType.Bit64).double(value);
  if (typeof value === "string") return out.tag(3, WireType.LengthDelimited).string(value);
  if (typeof value === "boolean") return out.tag(4, WireType.Varint).bool(value);
  if (!Array.isArray(value)) return writeStruct(out.tag(5, WireType.LengthDelimited).fork(), value).join();
  out.tag(6, WireType.LengthDelimited).fork();
  for (const item of value) writeValue(out.tag(1, WireType.LengthDelimited).fork(), item).join();
  return out.join();
}

const isDefault = (value: JsonValue): boolean => value === "" || value === 0 || value === false;
