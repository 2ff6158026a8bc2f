import { isUtf8 } from "node:buffer";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { invalidArgument, NuncioError } from "../../../shared/errors.js";
import type { JsonObject, JsonValue } from "../../../shared/json.js";
import { type Field, isEnum, isMessage, type MessageTable, type Scalar } from "./table.js";
import { writtenTime } from "./timestamp.js";

/** Levels of nesting in free JSON, at most; far more than what an operation takes, far less than what a stack can. */
const DEPTH = 128;

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
    return fieldsOf(source, table, bytes.length, {});
  } catch (error) {
    if (error instanceof NuncioError) throw error;
    // Whatever the library says of the bytes: that they end too early, or have a tag that there is not.
    const at = pathOf(source);
    throw invalidArgument(at === "" ? table.name : at, `is not a valid protocol buffer ${table.name} message`);
  }
}

interface Source {
  wire: BinaryReader;
  /** Where we are, for errors. */
  path: string[];
}

const pathOf = ({ path }: Source): string => path.join(".").replaceAll(".[", "[");

const refuse = (source: Source, what: string): NuncioError => invalidArgument(pathOf(source) || "message", what);

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

/** Reads up to `end`, into what an earlier part of the same message may have left. */
function fieldsOf(source: Source, table: MessageTable, end: number, into: JsonObject): JsonObject {
  const { wire, path } = source;
  while (wire.pos < end) {
    const [number, wireType] = wire.tag();
    const field = table.byNumber.get(number);
    if (field === undefined || wireTypeOf(field) !== wireType) {
      wire.skip(wireType, number);
    } else {
      path.push(field.name);
      readField(source, field, into);
      path.pop();
    }
  }
  requireEnd(wire, end);
  return into;
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
    const [key, value] = entry(source, field);
    const found = (into[name] ?? {}) as JsonObject;
    into[name] = found;
    set(found, key, value);
  } else {
    for (const other of field.others) delete into[other];
    const value = one(source, field, into[name]);
    if (!field.presence && isDefault(value)) delete into[name];
    else into[name] = value;
  }
}

function one(source: Source, { type }: Field, before: JsonValue | undefined): JsonValue {
  const { wire } = source;
  if (isMessage(type)) return fieldsOf(source, type, lengthPrefixed(wire), (before ?? {}) as JsonObject);
  if (isEnum(type)) {
    const number = wire.int32();
    return type.names.get(number) ?? number;
  }
  switch (type) {
    case "string":
      return text(source);
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
      return timestamp(source);
    case "struct":
      return struct(source, 1);
    case "value":
      return value(source, 1);
  }
}

/** An entry of a map is a message of a key and a value, either of which may be left out. */
function entry(source: Source, field: Field): [string, JsonValue] {
  const { wire } = source;
  const end = lengthPrefixed(wire);
  let key = "";
  let found: JsonValue | undefined;
  while (wire.pos < end) {
    const [number, wireType] = wire.tag();
    if (number === 1 && wireType === WireType.LengthDelimited) key = text(source);
    else if (number === 2 && wireType === WireType.LengthDelimited) found = one(source, field, found);
    else wire.skip(wireType, number);
  }
  requireEnd(wire, end);
  return [key, found ?? (isMessage(field.type) ? {} : "")];
}

function text({ wire, path }: Source): string {
  const bytes = wire.bytes();
  if (!isUtf8(bytes)) throw refuse({ wire, path }, "must be valid UTF-8");
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
}

function timestamp(source: Source): string {
  const { wire } = source;
  const end = lengthPrefixed(wire);
  let seconds = 0n;
  let nanos = 0;
  while (wire.pos < end) {
    const [number, wireType] = wire.tag();
    if (number === 1 && wireType === WireType.Varint) seconds = BigInt(wire.int64());
    else if (number === 2 && wireType === WireType.Varint) nanos = wire.int32();
    else wire.skip(wireType, number);
  }
  requireEnd(wire, end);
  const time = writtenTime(seconds, nanos);
  if (time === null) throw refuse(source, "must be a time of the years 1 to 9999");
  return time;
}

function struct(source: Source, depth: number): JsonObject {
  const { wire } = source;
  const end = lengthPrefixed(wire);
  const found: JsonObject = {};
  while (wire.pos < end) {
    const [number, wireType] = wire.tag();
    if (number !== 1 || wireType !== WireType.LengthDelimited) {
      wire.skip(wireType, number);
      continue;
    }
    const [key, of] = member(source, depth);
    set(found, key, of);
  }
  requireEnd(wire, end);
  return found;
}

function member(source: Source, depth: number): [string, JsonValue] {
  const { wire } = source;
  const end = lengthPrefixed(wire);
  let key = "";
  let found: JsonValue | undefined;
  while (wire.pos < end) {
    const [number, wireType] = wire.tag();
    if (number === 1 && wireType === WireType.LengthDelimited) key = text(source);
    else if (number === 2 && wireType === WireType.LengthDelimited) found = value(source, depth + 1);
    else wire.skip(wireType, number);
  }
  requireEnd(wire, end);
  if (found === undefined) throw refuse(source, "must have a value for every key");
  return [key, found];
}

function list(source: Source, depth: number): JsonValue[] {
  const { wire } = source;
  const end = lengthPrefixed(wire);
  const found: JsonValue[] = [];
  while (wire.pos < end) {
    const [number, wireType] = wire.tag();
    if (number === 1 && wireType === WireType.LengthDelimited) found.push(value(source, depth + 1));
    else wire.skip(wireType, number);
  }
  requireEnd(wire, end);
  return found;
}

/** google/protobuf/struct.proto: "absence of any variant indicates an error". */
function value(source: Source, depth: number): JsonValue {
  if (depth > DEPTH) throw refuse(source, `must not be nested deeper than ${DEPTH} levels`);
  const { wire } = source;
  const end = lengthPrefixed(wire);
  let found: JsonValue | undefined;
  while (wire.pos < end) {
    const [number, wireType] = wire.tag();
    if (number === 1 && wireType === WireType.Varint) {
      wire.int32();
      found = null;
    } else if (number === 2 && wireType === WireType.Bit64) found = wire.double();
    else if (number === 3 && wireType === WireType.LengthDelimited) found = text(source);
    else if (number === 4 && wireType === WireType.Varint) found = wire.bool();
    else if (number === 5 && wireType === WireType.LengthDelimited) found = struct(source, depth);
    else if (number === 6 && wireType === WireType.LengthDelimited) found = list(source, depth);
    else wire.skip(wireType, number);
  }
  requireEnd(wire, end);
  if (found === undefined) throw refuse(source, "must have a value");
  return found;
}

/** Where the message ends whose length comes next. */
function lengthPrefixed(wire: BinaryReader): number {
  const end = wire.uint32() + wire.pos;
  if (end > wire.len) throw new RangeError("ends too early");
  return end;
}

/** What is inside of a message must not reach over its end. */
function requireEnd(wire: BinaryReader, end: number): void {
  if (wire.pos !== end) throw new RangeError("overlaps what follows");
}

/** `__proto__` is a key like any other, as it is to JSON.parse. */
function set(target: JsonObject, key: string, of: JsonValue): void {
  if (key !== "__proto__") target[key] = of;
  else Object.defineProperty(target, key, { value: of, enumerable: true, configurable: true, writable: true });
}

const isDefault = (of: JsonValue): boolean => of === "" || of === 0 || of === false;
