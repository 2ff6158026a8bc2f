/*
 * What an object of the protocol may look like, in a notation that is read at a glance. Each field is one string:
 *
 *   "3 TaskStatus!"    field 3 of the protobuf message, another shape, must be there
 *   "5 Message[]!"     a list; one that must be there needs an item
 *   "3 int32?"         0 differs from absent
 *   "1 string|"        one of the alternatives (`oneof`): exactly one of them at most
 *   "8 StringList{}"   a map from strings
 *   "=task!"           a literal text; shapes that travel as JSON only have no numbers
 *   "1 Task[]+!"       a list that must be there and may be empty
 */
export type Notation = Readonly<Record<string, string>>;

export interface Field {
  name: string;
  number: number;
  /** A scalar, an enum, a literal with `=` before it, or the name of another shape. */
  type: string;
  list: boolean;
  map: boolean;
  required: boolean;
  mayBeEmpty: boolean;
  /** The default value is told from absence. */
  presence: boolean;
  alternative: boolean;
}

export interface Shape {
  name: string;
  fields: ReadonlyMap<string, Field>;
}

/** The shapes of one spelling of the protocol. */
export interface Shapes {
  get(name: string): Shape | undefined;
  /** Values of an enum by number; the first is the unspecified one, which is never sent. */
  enum(name: string): readonly string[] | undefined;
  /** For shapes that say in a field of which kind they are: the shape of that kind. */
  kinds(name: string): Readonly<Record<string, string>> | undefined;
}

export interface ShapeTables {
  shapes: Readonly<Record<string, Notation>>;
  enums: Readonly<Record<string, readonly string[]>>;
  kinds?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export function shapesOf({ shapes, enums, kinds = {} }: ShapeTables): Shapes {
  const read = new Map(
    Object.entries(shapes).map(([name, notation]): [string, Shape] => [
      name,
      { name, fields: new Map(Object.entries(notation).map(([key, text]) => [key, readField(key, text)])) },
    ]),
  );
  return { get: (name) => read.get(name), enum: (name) => enums[name], kinds: (name) => kinds[name] };
}

const FIELD = /^(?:(\d+) )?(=?[\w-]+)(\[\])?(\{\})?(\+)?(\?)?(\|)?(!)?$/;

function readField(name: string, text: string): Field {
  const found = FIELD.exec(text);
  if (found === null) throw new Error(`cannot read the field ${name}: ${text}`);
  const [, number, type, list, map, mayBeEmpty, presence, alternative, required] = found;
  return {
    name,
    number: Number(number ?? 0),
    type: type as string,
    list: list !== undefined,
    map: map !== undefined,
    required: required !== undefined,
    mayBeEmpty: mayBeEmpty !== undefined,
    presence: presence !== undefined || alternative !== undefined,
    alternative: alternative !== undefined,
  };
}
