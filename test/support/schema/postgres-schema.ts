import type { Client } from "pg";

// cspell:disable -- the names of PostgreSQL's catalog
const TABLES = `
  SELECT c.oid, c.relname AS name, CASE c.relpersistence WHEN 'u' THEN 'UNLOGGED TABLE' ELSE 'TABLE' END AS kind,
    c.reloptions AS options
  FROM pg_class c WHERE c.relnamespace = $1::regnamespace AND c.relkind IN ('r', 'p') ORDER BY c.relname COLLATE "C"`;
const COLUMNS = `
  SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull AS required,
    pg_get_expr(d.adbin, d.adrelid) AS value, a.attidentity <> '' AS identity,
    CASE WHEN a.attcollation <> t.typcollation THEN co.collname END AS collation
  FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
    LEFT JOIN pg_collation co ON co.oid = a.attcollation
    LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`;
// NOT NULL, which newer servers list as a constraint, is told with the column.
const CONSTRAINTS = `
  SELECT conname AS name, pg_get_constraintdef(oid) AS text FROM pg_constraint
  WHERE conrelid = $1 AND contype <> 'n' ORDER BY contype <> 'p', conname COLLATE "C"`;
const INDEXES = `
  SELECT pg_get_indexdef(i.indexrelid) AS text FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
  WHERE i.indrelid = $1 AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = i.indexrelid)
  ORDER BY c.relname COLLATE "C"`;
const TRIGGERS = `
  SELECT pg_get_triggerdef(oid) AS text FROM pg_trigger WHERE tgrelid = $1 AND NOT tgisinternal
  ORDER BY tgname COLLATE "C"`;
const VIEWS = `
  SELECT format(E'CREATE VIEW %I AS\\n%s', relname, rtrim(pg_get_viewdef(oid), ';')) AS text
  FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind IN ('v', 'm') ORDER BY relname COLLATE "C"`;
const FUNCTIONS = `
  SELECT pg_get_functiondef(oid) AS text FROM pg_proc WHERE pronamespace = $1::regnamespace
  ORDER BY proname COLLATE "C", oid`;
// cspell:enable

/**
 * What a PostgreSQL schema says of itself, by queries of the catalog: the text of pg_dump changes with its version. Read
 * with the schema first on the search path, so that its name does not appear.
 */
export async function postgresSchema(client: Client, schema: string): Promise<string> {
  await client.query(`SET search_path TO "${schema}"`);
  const textsOf = async (query: string, of: unknown): Promise<string[]> =>
    (await client.query(query, [of])).rows.map((row: { text: string }) => row.text);
  const statements: string[] = [];
  for (const table of (await client.query(TABLES, [schema])).rows) {
    const columns = (await client.query(COLUMNS, [table.oid])).rows.map(column);
    const constraints = (await client.query(CONSTRAINTS, [table.oid])).rows.map(
      ({ name, text }) => `  CONSTRAINT ${name} ${text}`,
    );
    const options = table.options === null ? "" : ` WITH (${table.options.join(", ")})`;
    statements.push(
      `CREATE ${table.kind} ${table.name} (\n${[...columns, ...constraints].join(",\n")}\n)${options}`,
      ...(await textsOf(INDEXES, table.oid)),
      ...(await textsOf(TRIGGERS, table.oid)),
    );
  }
  statements.push(...(await textsOf(VIEWS, schema)), ...(await textsOf(FUNCTIONS, schema)));
  return statements.map((text) => `${text.replaceAll(`${schema}.`, "").trimEnd()};\n`).join("\n");
}

interface ColumnRow {
  name: string;
  type: string;
  required: boolean;
  value: string | null;
  identity: boolean;
  collation: string | null;
}

const column = ({ name, type, required, value, identity, collation }: ColumnRow): string =>
  [
    `  ${name} ${type}`,
    ...(collation === null ? [] : [`COLLATE "${collation}"`]),
    ...(value === null ? [] : [`DEFAULT ${value}`]),
    ...(identity ? ["GENERATED AS IDENTITY"] : []),
    ...(required ? ["NOT NULL"] : []),
  ].join(" ");
