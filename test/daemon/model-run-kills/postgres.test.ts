import { expect, it } from "vitest";
import { STEPS, type Step } from "../../support/daemon/garden.js";
import { killAtEachRequest } from "../../support/daemon/kill/model-run-kills.js";
import { freshDatabase } from "../../support/postgres/shared.js";

/** A few of the steps: after each kill somebody has to wait for the end of a lease. */
const SOME: Step[] = [...STEPS.slice(2, 5), () => ({ text: "The garden is done." })];

it("X1 X4 D9 on PostgreSQL a run that is killed as its provider receives each request makes each once more, and delegates nothing twice", async () => {
  const storage = { type: "postgres", url: await freshDatabase() };
  const run = await killAtEachRequest("anthropic", SOME.length, { steps: SOME, storage, leaseMs: 2000 });
  expect(run.outcome).toMatchObject({
    state: "completed",
    result: expect.stringMatching(/The garden is done\.$/),
    delegated: ["plant", "water", "prune", "weed"].map((work) => [work, "completed", `I did ${work}.`, {}]),
  });
  expect(run.asked).toEqual([0, 0, 1, 1, 2, 2, 3, 3]);
  expect(run.helped.sort()).toEqual(["plant", "prune", "water", "weed"]);
  expect(run.attempt).toBe(1 + SOME.length);
});
