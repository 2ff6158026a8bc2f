import { it } from "vitest";
import { limitedPages } from "../../faults/outages/full-disk.js";
import { clockSteps } from "../../faults/rows/clock-steps.js";
import { r1Sqlite } from "../../faults/rows/r1-sqlite.js";
import { outageOnSqlite } from "../../faults/rows/r3-sqlite.js";
import { expectNoHarm, shortSizes, TIMEOUT_MS } from "./short.js";

it("D9 R1 E11 D18 D19 keeps every acknowledged task, its one outcome and its delegations over kills at random moments", {
  timeout: TIMEOUT_MS,
}, async () => {
  expectNoHarm(await r1Sqlite(shortSizes()));
});

it("R3 refuses submissions while the disk is full, keeps what runs, says so, and goes on", {
  timeout: TIMEOUT_MS,
}, async () => {
  expectNoHarm(await outageOnSqlite(limitedPages(), { ...shortSizes(), delegations: 600 }));
});

it("X14 does its work once, and stands still for nothing, when the clock is set forward and back", {
  timeout: TIMEOUT_MS,
}, async () => {
  expectNoHarm(await clockSteps({ ...shortSizes(), delegations: 400 }));
});
