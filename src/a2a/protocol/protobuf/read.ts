import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { invalidArgument, NuncioError } from "../../../shared/errors.js";
import type { JsonObject, JsonValue } from "../../../shared/json.js";
import { readStruct, readTimestamp, readValue } from "./read-well-known.js";
import { pathOf, readEntry, readFields, readFieldsTo, readText, type Source, setKey } from "./source.js";
import { type Field, isEnum, isMessage, type MessageTable, type Scalar } from "./table.js";

/**
 * Reads the bytes of a message (protobuf.dev/programming-guides/encoding) into its ProtoJSON. Strict where parsers
 * usually are not, since nothing that was sent must be taken for something else: text has to be UTF-8, a `Value` has to
 * have one, times are within the years 1 to 9999. The rest is as the format asks: unknown fields are passed over, a
 * default is the same as nothing unless the field says otherwise, the last of several values counts, and an unknown
 * number of an enumeration stays a number for the operation to refuse.
 *
 * @throws NuncioError invalid_argument, with the path to where it went wrong
 */
export function readMessage(table: MessageTable, bytes: Uint8Array): JsonObject {
  const source: Source = { wire: new BinaryReader(bytes), path: [] };
  try {
    const found: JsonObject = {};
    readFieldsTo(source.wire, bytes.length, fieldsInto(source, table, found));
    return found;
  } catch (error) {
    if (error instanceof NuncioError) throw error;
    // Whatever the library says of the bytes: that they end too early, or have a tag that there is not.
    const at = pathOf(source);
    throw invalidArgument(at === "" ? table.name : at, `is not a valid protocol buffer ${table.name} message`);
  }
}

const WIRE_TYPE: Record<Scalar, WireType> = {
  string: WireType.LengthDelimited,
  bytes: WireType.LengthDelimited,
  bool: WireType.Varint,
  int32: WireType.Varint,
  double: WireType.Bit64,
  timestamp: WireType.LengthDelimited,
  struct: WireType.LengthDelimited,
  value: WireType.LengthDelimited,
};

function wireTypeOf({ type, shape }: Field): WireType {
  if (shape === "map" || isMessage(type)) return WireType.LengthDelimited;
  return isEnum(type) ? WireType.Varint : WIRE_TYPE[type];
}

/** Reads into what an earlier part of the same message may have left. */
function fieldsInto(source: Source, { byNumber }: MessageTable, into: JsonObject) {
  return (number: number, wireType: WireType): boolean => {
    const field = byNumber.get(number);
    if (field === undefined || wireTypeOf(field) !== wireType) return false;
    source.path.push(field.name);
    readField(source, field, into);
    source.path.pop();
    return true;
  };
}

function readField(source: Source, field: Field, into: JsonObject): void {
  const { name, shape } = field;
  if (shape === "many") {
    const found = (into[name] ?? []) as JsonValue[];
    into[name] = found;
    source.path.push(`[${found.length}]`);
    found.push(one(source, field, undefined));
    source.path.pop();
  } else if (shape === "map") {
    const [key, value] = readEntry(source, (before) => one(source, field, before));
    const found = (into[name] ?? {}) as JsonObject;
    into[name] = found;
    setKey(found, key, value ?? (isMessage(field.type) ? {} : ""));
  } else {
    for (const other of field.others) delete into[other];
    const value = one(source, field, into[name]);
    if (!field.presence && isDefault(value)) delete into[name];
    else into[name] = value;
  }
}

function one(source: Source, { type }: Field, before: JsonValue | undefined): JsonValue {
  const { wire } = source;
  if (isMessage(type)) {
    const into = (before ?? {}) as JsonObject;
    readFields(source, fieldsInto(source, type, into));
    return into;
  }
  if (isEnum(type)) {
    const number = wire.int32();
    return type.names.get(number) ?? number;
  }
  switch (type) {
    case "string":
      return readText(source);
    case "bytes": {
      const bytes = wire.bytes();
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
    }
    case "bool":
      return wire.bool();
    case "int32":
      return wire.int32();
    case "double":
      return wire.double();
    case "timestamp":
      return readTimestamp(source);
    case "struct":
      return readStruct(source);
    case "value":
      return readValue(source);
  }
}

const isDefault = (of: JsonValue): boolean => of === "" || of === 0 || of === false;
