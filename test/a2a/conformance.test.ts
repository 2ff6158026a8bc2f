import { beforeAll, describe, expect, it } from "vitest";
import { SECTIONS } from "../../conformance/cases/all.js";
import { nameOf } from "../../conformance/report.js";
import { type Outcome, runTable } from "../../conformance/table/run-table.js";
import { startOwnDaemon } from "../../conformance/targets/own-daemon.js";
import { WIRES } from "../../conformance/wires/all.js";

/** The table of `npm run conformance`, on three bindings in two versions; one test for each section. */
describe("A2A conformance", () => {
  let outcomes: Outcome[];
  let faults: string[];

  beforeAll(async () => {
    const target = await startOwnDaemon(WIRES);
    try {
      outcomes = await runTable(SECTIONS, target);
    } finally {
      faults = await target.close();
    }
  }, 300_000);

  it.each(SECTIONS.map(({ number, title, ids }) => ({ number, name: `${ids} ${number} ${title}` })))(
    "$name",
    ({ number }) => {
      const run = outcomes.filter(({ section, outcome }) => section.number === number && outcome !== "not run");
      expect(run).not.toEqual([]);
      expect(run.filter(({ outcome }) => outcome === "failed").map((one) => `${nameOf(one)}: ${one.why}`)).toEqual([]);
    },
  );

  it("R5 the server has logged no fault of its own", () => {
    expect(faults).toEqual([]);
  });
});
