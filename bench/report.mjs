import { cpus, loadavg } from "node:os";

/**
 * What a bench says of one goal: `id`, `what`, `goal`, `figure`, `detail`; `atMost` when less is better, and the `unit`
 * of figures that are no ratio.
 */
export const isMet = ({ goal, figure, atMost }) => (atMost ? figure <= goal : figure >= goal);

export const machine = () => ({
  node: process.version,
  cores: cpus().length,
  load: Number(loadavg()[0].toFixed(2)),
  date: new Date().toISOString().slice(0, 16),
});

/** The rows as a Markdown table, which is also how they are read in a terminal. */
export function table(rows) {
  const cells = rows.map((row) => [
    row.id,
    row.what,
    `${row.atMost ? "≤" : "≥"} ${row.goal}${unitOf(row)}`,
    `${row.figure.toFixed(2)}${unitOf(row)}`,
    isMet(row) ? "met" : "missed",
    row.detail,
  ]);
  const all = [["id", "what", "goal", "figure", "", "detail"], ...cells];
  const widths = all[0].map((_, column) => Math.max(3, ...all.map((row) => row[column].length)));
  const lines = all.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column])).join(" | ")} |`);
  lines.splice(1, 0, `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`);
  return lines.join("\n");
}

const unitOf = ({ unit }) => (unit === undefined ? "" : ` ${unit}`);
