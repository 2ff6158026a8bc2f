import { isUtf8 } from "node:buffer";
import { type BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { invalidArgument, type NuncioError } from "../../../shared/errors.js";
import type { JsonObject, JsonValue } from "../../../shared/json.js";

/** Bytes that are being read, and where in the message we are, for errors. */
export interface Source {
  wire: BinaryReader;
  path: string[];
}

export const pathOf = ({ path }: Source): string => path.join(".").replaceAll(".[", "[");

export const refuse = (source: Source, what: string): NuncioError => invalidArgument(pathOf(source) || "message", what);

/** Whether it has read the field, or leaves it to be passed over. */
type TakeField = (number: number, wireType: WireType) => boolean;

/** Reads the message whose length comes next. */
export function readFields({ wire }: Source, take: TakeField): void {
  const end = wire.uint32() + wire.pos;
  if (end > wire.len) throw new RangeError("ends too early");
  readFieldsTo(wire, end, take);
}

export function readFieldsTo(wire: BinaryReader, end: number, take: TakeField): void {
  while (wire.pos < end) {
    const [number, wireType] = wire.tag();
    if (!take(number, wireType)) wire.skip(wireType, number);
  }
  // What is inside of a message must not reach over its end.
  if (wire.pos !== end) throw new RangeError("overlaps what follows");
}

export function readText(source: Source): string {
  const bytes = source.wire.bytes();
  if (!isUtf8(bytes)) throw refuse(source, "must be valid UTF-8");
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
}

/**
 * An entry of a map is a message of a key and a value, either of which may be left out.
 *
 * @param readValue told what an earlier part of the same entry has left
 */
export function readEntry(
  source: Source,
  readValue: (before: JsonValue | undefined) => JsonValue,
): [key: string, value: JsonValue | undefined] {
  let key = "";
  let value: JsonValue | undefined;
  readFields(source, (number, wireType) => {
    if (wireType !== WireType.LengthDelimited) return false;
    if (number === 1) key = readText(source);
    else if (number === 2) value = readValue(value);
    else return false;
    return true;
  });
  return [key, value];
}

/** `__proto__` is a key like any other, as it is to JSON.parse. */
export function setKey(target: JsonObject, key: string, value: JsonValue): void {
  if (key !== "__proto__") target[key] = value;
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}
