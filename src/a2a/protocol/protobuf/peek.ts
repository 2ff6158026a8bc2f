import { isUtf8 } from "node:buffer";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { invalidArgument, NuncioError } from "../../../shared/errors.js";
import type { MessageTable } from "./table.js";

/**
 * One text field of a message, without a look at the rest: what a request is addressed to is needed before anything is
 * made of what it says.
 *
 * @returns "" when it is not there
 */
export function peekText(table: MessageTable, name: string, bytes: Uint8Array): string {
  const field = table.fields.find((candidate) => candidate.name === name);
  if (field === undefined) return "";
  const reader = new BinaryReader(bytes);
  let found = "";
  try {
    while (reader.pos < reader.len) {
      const [number, wireType] = reader.tag();
      if (number !== field.number || wireType !== WireType.LengthDelimited) reader.skip(wireType, number);
      else found = asText(reader.bytes(), name);
    }
  } catch (error) {
    if (error instanceof NuncioError) throw error;
    throw invalidArgument(table.name, `is not a valid protocol buffer ${table.name} message`);
  }
  return found;
}

function asText(bytes: Uint8Array, name: string): string {
  if (!isUtf8(bytes)) throw invalidArgument(name, "must be valid UTF-8");
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
}
