import { WireType } from "@bufbuild/protobuf/wire";
import type { JsonObject, JsonValue } from "../../../shared/json.js";
import { readEntry, readFields, readText, refuse, type Source, setKey } from "./source.js";
import { writtenTime } from "./timestamp.js";

/** Levels of nesting in free JSON, at most; far more than what an operation takes, far less than what a stack can. */
const DEPTH = 128;

/** `google.protobuf.Timestamp`, as RFC 3339. */
export function readTimestamp(source: Source): string {
  const { wire } = source;
  let seconds = 0n;
  let nanos = 0;
  readFields(source, (number, wireType) => {
    if (wireType !== WireType.Varint) return false;
    if (number === 1) seconds = BigInt(wire.int64());
    else if (number === 2) nanos = wire.int32();
    else return false;
    return true;
  });
  const time = writtenTime(seconds, nanos);
  if (time === null) throw refuse(source, "must be a time of the years 1 to 9999");
  return time;
}

/** `google.protobuf.Struct` (google/protobuf/struct.proto): an object of any content. */
export function readStruct(source: Source, depth = 1): JsonObject {
  const found: JsonObject = {};
  readFields(source, (number, wireType) => {
    if (number !== 1 || wireType !== WireType.LengthDelimited) return false;
    const [key, value] = readEntry(source, () => readValue(source, depth + 1));
    if (value === undefined) throw refuse(source, "must have a value for every key");
    setKey(found, key, value);
    return true;
  });
  return found;
}

function readList(source: Source, depth: number): JsonValue[] {
  const found: JsonValue[] = [];
  readFields(source, (number, wireType) => {
    if (number !== 1 || wireType !== WireType.LengthDelimited) return false;
    found.push(readValue(source, depth + 1));
    return true;
  });
  return found;
}

/** `google.protobuf.Value`: "absence of any variant indicates an error". */
export function readValue(source: Source, depth = 1): JsonValue {
  if (depth > DEPTH) throw refuse(source, `must not be nested deeper than ${DEPTH} levels`);
  const { wire } = source;
  let found: JsonValue | undefined;
  readFields(source, (number, wireType) => {
    if (number === 1 && wireType === WireType.Varint) {
      wire.int32();
      found = null;
    } else if (number === 2 && wireType === WireType.Bit64) found = wire.double();
    else if (number === 3 && wireType === WireType.LengthDelimited) found = readText(source);
    else if (number === 4 && wireType === WireType.Varint) found = wire.bool();
    else if (number === 5 && wireType === WireType.LengthDelimited) found = readStruct(source, depth);
    else if (number === 6 && wireType === WireType.LengthDelimited) found = readList(source, depth);
    else return false;
    return true;
  });
  if (found === undefined) throw refuse(source, "must have a value");
  return found;
}
