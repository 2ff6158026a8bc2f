// npm run bench [-- --only Q1] [--quick] [--json] [--rounds 5] [--seconds 4]
import { parseArgs } from "node:util";
import { workDirectory } from "./processes.mjs";
import { q1 } from "./q1-blocking-send.mjs";
import { q2 } from "./q2-streaming.mjs";
import { q3 } from "./q3-delegation.mjs";
import { q4 } from "./q4-flatness.mjs";
import { q5 } from "./q5-idle-streams.mjs";
import { q6 } from "./q6-start.mjs";
import { q7 } from "./q7-command-line.mjs";
import { isMet, machine, table } from "./report.mjs";

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    /** A minute or two, for a look: one short round, and a tenth of the tasks. */
    quick: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    rounds: { type: "string" },
    seconds: { type: "string" },
  },
});
const benches = { Q1: q1, Q2: q2, Q3: q3, Q4: q4, Q5: q5, Q6: q6, Q7: q7 };
const chosen = (values.only ?? Object.keys(benches)).map((id) => id.toUpperCase());
for (const id of chosen) {
  if (!Object.hasOwn(benches, id)) {
    console.error(`there is no ${id}; choose from ${Object.keys(benches).join(", ")}`);
    process.exit(2);
  }
}
const rounds = Number(values.rounds ?? (values.quick ? 1 : 5));
const seconds = Number(values.seconds ?? (values.quick ? 1 : 4));
const many = values.quick ? 100_000 : 1_000_000;

const directory = workDirectory();
const before = machine();
const say = (text) => process.stderr.write(`${text}\n`);
const rows = [];
for (const id of chosen) {
  const startedAt = performance.now();
  rows.push(...(await benches[id]({ directory, rounds, seconds, many, say })));
  say(`${id} took ${Math.round((performance.now() - startedAt) / 1000)} s`);
}

if (values.json) {
  console.log(JSON.stringify({ ...before, rounds, seconds, rows: rows.map((row) => ({ ...row, met: isMet(row) })) }));
} else {
  console.log(`Node ${before.node}, ${before.cores} cores, load ${before.load} before, ${before.date} UTC.`);
  console.log(`Ratios of one run; median of ${rounds} rounds.\n`);
  console.log(table(rows));
}
