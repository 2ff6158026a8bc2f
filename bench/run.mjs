// npm run bench [-- --only Q1] [--rounds 5] [--seconds 4]
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { workDirectory } from "./processes.mjs";
import { q1 } from "./q1-blocking-send.mjs";
import { q3 } from "./q3-delegation.mjs";

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "4" },
  },
});
const benches = { Q1: q1, Q3: q3 };
const chosen = values.only ?? Object.keys(benches);
for (const id of chosen) {
  if (!Object.hasOwn(benches, id)) {
    console.error(`there is no ${id}; choose from ${Object.keys(benches).join(", ")}`);
    process.exit(2);
  }
}

const directory = workDirectory();
console.log(`Node ${process.version}, ${cpus().length} cores. Ratios of one run; median of ${values.rounds} rounds.\n`);
const rows = [];
for (const id of chosen) {
  rows.push(...(await benches[id]({ directory, rounds: Number(values.rounds), seconds: Number(values.seconds) })));
}

const met = ({ goal, figure, atMost }) => (atMost ? figure <= goal : figure >= goal);
const cells = rows.map((row) => [
  row.id,
  row.what,
  `${row.atMost ? "≤" : "≥"} ${row.goal}`,
  row.figure.toFixed(2),
  met(row) ? "met" : "missed",
  row.detail,
]);
const table = [["id", "what", "goal", "figure", "", "detail"], ...cells];
const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)));
for (const row of table)
  console.log(
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join("  ")
      .trimEnd(),
  );
