import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { findingsOf, isGood, type Row, tableOf } from "./report.js";
import { clockSteps } from "./rows/clock-steps.js";
import { r1Postgres } from "./rows/r1-postgres.js";
import { r1Sqlite } from "./rows/r1-sqlite.js";
import { r2 } from "./rows/r2-postgres.js";
import { r3Gone, r3Halted, r3PoolLost, r3Restarted } from "./rows/r3-postgres.js";
import { r3FullDisk, r3Locked, r3ReadOnly } from "./rows/r3-sqlite.js";
import { FULL, type Sizes } from "./rows/sizes.js";

const HELP = `npm run faults -- [options]

  --only R1,R3         only these rows
  --store sqlite       or postgres; default: both
  --seed N             repeats the moments and choices of an earlier run
  --delegations N      default ${FULL.delegations}
  --kills N            default ${FULL.kills}
  --outages N          of each kind, default ${FULL.outages}
  --rounds N           stops in R2, default ${FULL.rounds}
  --patience SECONDS   without any progress; then what is left is stuck; default ${FULL.patienceMs / 1000}
  --callers N          clients at a time, default ${FULL.callers}
`;

type Store = "sqlite" | "postgres";

const ROWS: { id: string; store: Store; run(sizes: Sizes): Promise<Row> }[] = [
  { id: "R1", store: "sqlite", run: r1Sqlite },
  { id: "R1", store: "postgres", run: r1Postgres },
  { id: "R2", store: "postgres", run: r2 },
  { id: "R3", store: "sqlite", run: r3FullDisk },
  { id: "R3", store: "sqlite", run: r3ReadOnly },
  { id: "R3", store: "sqlite", run: r3Locked },
  { id: "R3", store: "postgres", run: r3Restarted },
  { id: "R3", store: "postgres", run: r3Gone },
  { id: "R3", store: "postgres", run: r3Halted },
  { id: "R3", store: "postgres", run: r3PoolLost },
  { id: "X14", store: "sqlite", run: clockSteps },
];

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    store: { type: "string", default: "both" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
    delegations: { type: "string", default: String(FULL.delegations) },
    kills: { type: "string", default: String(FULL.kills) },
    rounds: { type: "string", default: String(FULL.rounds) },
    outages: { type: "string", default: String(FULL.outages) },
    patience: { type: "string", default: String(FULL.patienceMs / 1000) },
    callers: { type: "string", default: String(FULL.callers) },
    help: { type: "boolean", default: false },
  },
});

process.exitCode = values.help ? help() : await main();

function help(): number {
  console.log(HELP);
  return 0;
}

async function main(): Promise<number> {
  const sizes: Sizes = {
    ...FULL,
    seed: Number(values.seed),
    delegations: Number(values.delegations),
    kills: Number(values.kills),
    rounds: Number(values.rounds),
    outages: Number(values.outages),
    patienceMs: Number(values.patience) * 1000,
    callers: Number(values.callers),
  };
  const ids = values.only?.toUpperCase().split(",");
  const chosen = ROWS.filter(
    ({ id, store }) => (ids === undefined || ids.includes(id)) && (values.store === "both" || values.store === store),
  );
  if (chosen.length === 0) {
    console.error(HELP);
    return 2;
  }
  console.log(`seed ${sizes.seed}: --seed ${sizes.seed} repeats it`);
  const rows: Row[] = [];
  for (const { id, store, run } of chosen) {
    console.log(`${id} on ${store} …`);
    const row = await run(sizes);
    rows.push(row);
    for (const line of findingsOf(row)) console.log(line);
  }
  console.log(`\n${new Date().toISOString().slice(0, 10)}, ${availableParallelism()} cores, seed ${sizes.seed}\n`);
  console.log(tableOf(rows));
  return rows.every(isGood) ? 0 : 1;
}
