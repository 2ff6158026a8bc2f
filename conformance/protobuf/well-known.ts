import { deviates } from "../deviation.js";
import { Reader, WIRE, Writer } from "./bytes.js";

/*
 * `google.protobuf.Struct`, `Value` and `Timestamp`, between the bytes and the JSON that stands for them.
 *
 * Value: null_value = 1, number_value = 2, string_value = 3, bool_value = 4, struct_value = 5, list_value = 6.
 */

export function writeValue(value: unknown): Buffer {
  const out = new Writer();
  if (value === null) {
    out.tag(1, WIRE.varint);
    out.varint(0n);
  } else if (typeof value === "number") {
    out.tag(2, WIRE.fixed64);
    out.double(value);
  } else if (typeof value === "string") {
    out.tag(3, WIRE.bytes);
    out.bytes(Buffer.from(value));
  } else if (typeof value === "boolean") {
    out.tag(4, WIRE.varint);
    out.varint(value ? 1n : 0n);
  } else if (Array.isArray(value)) {
    out.tag(6, WIRE.bytes);
    const list = new Writer();
    for (const item of value) {
      list.tag(1, WIRE.bytes);
      list.bytes(writeValue(item));
    }
    out.bytes(list.done());
  } else {
    out.tag(5, WIRE.bytes);
    out.bytes(writeStruct(value as Record<string, unknown>));
  }
  return out.done();
}

export function writeStruct(struct: Record<string, unknown>): Buffer {
  const out = new Writer();
  for (const [key, value] of Object.entries(struct)) {
    const entry = new Writer();
    entry.tag(1, WIRE.bytes);
    entry.bytes(Buffer.from(key));
    entry.tag(2, WIRE.bytes);
    entry.bytes(writeValue(value));
    out.tag(1, WIRE.bytes);
    out.bytes(entry.done());
  }
  return out.done();
}

export function readValue(bytes: Buffer): unknown {
  const from = new Reader(bytes);
  let value: unknown = null;
  while (!from.done) {
    const { number } = from.tag();
    switch (number) {
      case 1:
        from.varint();
        value = null;
        break;
      case 2:
        value = from.double();
        break;
      case 3:
        value = utf8(from.bytes());
        break;
      case 4:
        value = from.varint() !== 0n;
        break;
      case 5:
        value = readStruct(from.bytes());
        break;
      case 6:
        value = readList(from.bytes());
        break;
      default:
        deviates("google.protobuf.Value", `has no field ${number}`);
    }
  }
  return value;
}

function readList(bytes: Buffer): unknown[] {
  const from = new Reader(bytes);
  const items: unknown[] = [];
  while (!from.done) {
    from.tag();
    items.push(readValue(from.bytes()));
  }
  return items;
}

export function readStruct(bytes: Buffer): Record<string, unknown> {
  const struct: Record<string, unknown> = {};
  for (const [key, value] of readMap(bytes)) struct[key] = readValue(value);
  return struct;
}

/** The entries of a map, of which each is a message with a key and a value. */
function* readMap(bytes: Buffer): Generator<[string, Buffer]> {
  const from = new Reader(bytes);
  while (!from.done) {
    from.tag();
    yield readEntry(from.bytes());
  }
}

export function readEntry(bytes: Buffer): [string, Buffer] {
  const from = new Reader(bytes);
  let key = "";
  let value: Buffer = Buffer.alloc(0);
  while (!from.done) {
    if (from.tag().number === 1) key = utf8(from.bytes());
    else value = from.bytes();
  }
  return [key, value];
}

export function writeTimestamp(text: string): Buffer {
  const milliseconds = Date.parse(text);
  const out = new Writer();
  out.tag(1, WIRE.varint);
  out.varint(BigInt(Math.floor(milliseconds / 1000)));
  const nanos = (milliseconds - Math.floor(milliseconds / 1000) * 1000) * 1_000_000;
  if (nanos > 0) {
    out.tag(2, WIRE.varint);
    out.varint(BigInt(nanos));
  }
  return out.done();
}

export function readTimestamp(bytes: Buffer): string {
  const from = new Reader(bytes);
  let seconds = 0n;
  let nanos = 0n;
  while (!from.done) {
    const { number } = from.tag();
    if (number === 1) seconds = BigInt.asIntN(64, from.varint());
    else nanos = from.varint();
  }
  if (nanos > 999_999_999n) deviates("google.protobuf.Timestamp", `has ${nanos} nanoseconds`);
  return new Date(Number(seconds) * 1000 + Number(nanos / 1_000_000n)).toISOString();
}

export function utf8(bytes: Buffer): string {
  try {
    return new TextDecoder("utf8", { fatal: true }).decode(bytes);
  } catch {
    return deviates("protobuf", "a text is not UTF-8");
  }
}
