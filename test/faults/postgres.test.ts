import { it } from "vitest";
import { postgresStopped } from "../../faults/outages/postgres.js";
import { r1Postgres } from "../../faults/rows/r1-postgres.js";
import { r2 } from "../../faults/rows/r2-postgres.js";
import { outageOnPostgres } from "../../faults/rows/r3-postgres.js";
import { expectNoHarm, shortSizes, TIMEOUT_MS } from "./short.js";

it("D9 R1 E11 D18 D19 keeps every acknowledged task over killed nodes, cut connections and a crash of PostgreSQL", {
  timeout: TIMEOUT_MS,
}, async () => {
  expectNoHarm(await r1Postgres({ ...shortSizes(), kills: 4 }));
});

it("R2 a node that stands still for longer than its leases, and goes on, changes nothing any more", {
  timeout: TIMEOUT_MS,
}, async () => {
  expectNoHarm(await r2({ ...shortSizes(), delegations: 500, rounds: 2 }));
});

it("R3 refuses submissions while PostgreSQL is gone, keeps what runs, says so, and goes on", {
  timeout: TIMEOUT_MS,
}, async () => {
  const sizes = { ...shortSizes(), delegations: 1000 };
  expectNoHarm(await outageOnPostgres((server) => postgresStopped(server, "immediate"), 1, 2000, sizes));
});
