import Table from "cli-table3";
import type { Colors } from "./output.js";

const NO_BORDERS = Object.fromEntries(
  [
    ...["top", "top-mid", "top-left", "top-right", "bottom", "bottom-mid", "bottom-left", "bottom-right"],
    ...["left", "left-mid", "mid", "mid-mid", "right", "right-mid"],
  ].map((name) => [name, ""]),
);

/** Columns that stand under each other, without a frame: easy on the eye and on `awk`. */
export function tableText(head: readonly string[], rows: readonly (readonly string[])[], colors: Colors): string {
  const table = new Table({
    head: head.map((title) => colors.dim(title)),
    chars: { ...NO_BORDERS, middle: "  " },
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
  });
  table.push(...rows.map((row) => [...row]));
  return table
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}

/** Names and what they hold, one a line. */
export function fieldsText(fields: readonly (readonly [name: string, value: string | null])[], colors: Colors): string {
  const shown = fields.filter((field): field is readonly [string, string] => field[1] !== null);
  const width = Math.max(...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${colors.dim(name.padEnd(width))}  ${value}`).join("\n");
}
