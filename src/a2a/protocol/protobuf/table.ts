/**
 * Messages of protocol buffers as tables: which number stands for which name of the JSON form, and what is behind it. The
 * reader and the writer of this folder go by them, from bytes to ProtoJSON and back, without a shape of their own between.
 */
export interface MessageTable {
  readonly name: string;
  readonly fields: readonly Field[];
  readonly byNumber: ReadonlyMap<number, Field>;
}

/** An enumeration; 0 stands for "not given" in all of ours. */
export interface EnumTable {
  readonly names: ReadonlyMap<number, string>;
  readonly numbers: ReadonlyMap<string, number>;
}

export type Scalar =
  | "string"
  /** Base64 in JSON. */
  | "bytes"
  | "bool"
  | "int32"
  | "double"
  /** `google.protobuf.Timestamp`: RFC 3339 in JSON. */
  | "timestamp"
  /** `google.protobuf.Struct`: an object of any content. */
  | "struct"
  /** `google.protobuf.Value`: any JSON. */
  | "value";

export type FieldType = Scalar | EnumTable | MessageTable;

export interface Field {
  readonly number: number;
  readonly name: string;
  readonly type: FieldType;
  readonly shape: "one" | "many" | "map";
  /** Whether its default, when it was sent, is told from nothing. A message always is. */
  readonly presence: boolean;
  /** The other members of its `oneof`: of all of them the last one that was sent counts. */
  readonly others: readonly string[];
}

type Kept = Omit<Field, "name" | "number">;
type Row = readonly [number: number, kept: FieldType | Kept];

const isKept = (kept: FieldType | Kept): kept is Kept => typeof kept === "object" && "shape" in kept;
const plain = (type: FieldType): Kept => ({ type, shape: "one", presence: isMessage(type), others: [] });

export const many = (type: FieldType): Kept => ({ ...plain(type), shape: "many" });
/** A map from strings. */
export const mapOf = (type: FieldType): Kept => ({ ...plain(type), shape: "map" });
/** `optional` in proto3. */
export const optional = (type: Scalar): Kept => ({ ...plain(type), presence: true });

export function oneof<const Rows extends Record<string, readonly [number, FieldType]>>(
  rows: Rows,
): { [Name in keyof Rows]: Row } {
  const names = Object.keys(rows);
  const members = Object.entries(rows).map(([name, [number, type]]): [string, Row] => [
    name,
    [number, { ...plain(type), presence: true, others: names.filter((other) => other !== name) }],
  ]);
  return Object.fromEntries(members) as { [Name in keyof Rows]: Row };
}

/** @param rows by the name of the field in JSON */
export function message(name: string, rows: Record<string, Row>): MessageTable {
  const fields = Object.entries(rows).map(
    ([field, [number, kept]]): Field => ({
      name: field,
      number,
      ...(isKept(kept) ? kept : plain(kept)),
    }),
  );
  return { name, fields, byNumber: new Map(fields.map((field) => [field.number, field])) };
}

/** @param names from number 1 on */
export function enumeration(...names: string[]): EnumTable {
  const entries = names.map((name, at): [number, string] => [at + 1, name]);
  return { names: new Map(entries), numbers: new Map(entries.map(([number, name]) => [name, number])) };
}

export const isMessage = (type: FieldType): type is MessageTable => typeof type === "object" && "byNumber" in type;
export const isEnum = (type: FieldType): type is EnumTable => typeof type === "object" && "numbers" in type;
