import { describe, expect, it } from "vitest";
import {
  DELEGATIONS,
  type Dialect,
  type GardenOptions,
  outcomeOf,
  STEPS,
  startGarden,
  untilHelped,
} from "../garden.js";
import { type Death, deaths } from "./death.js";

/** Of starting a daemon a dozen times on a machine that does other things as well. */
const TIMEOUT_MS = 600_000;
const every = STEPS.map((_, step) => step);
const task = { persona: "gardener", text: "Make me a garden" };

const recordOf = (step: number, when: Death["when"]): Death => ({
  statement: "INSERT INTO journal",
  value: `model-${step + 1}`,
  when,
});

/** What a death at each record of an answer costs: the answers that were lost, and the attempts. */
const COST = {
  before: { requests: every.flatMap((step) => [step, step]), attempts: 1 + STEPS.length },
  // The last answer is recorded with the outcome: there is no attempt left to be lost.
  after: { requests: every, attempts: STEPS.length },
};

/** A run whose daemon is killed from outside each time that the provider has received a request, and not answered it. */
export async function killAtEachRequest(dialect: Dialect, steps: number, options: Omit<GardenOptions, "hold"> = {}) {
  const held = new Set<number>();
  let received: (step: number) => void = () => {};
  const next = () =>
    new Promise<number>((resolve) => {
      received = resolve;
    });
  const { daemon, asked, helped, lastShown } = await startGarden(dialect, {
    ...options,
    hold: async (step) => {
      if (held.has(step)) return undefined;
      held.add(step);
      received(step);
      return null;
    },
  });
  let requested = next();
  const { id } = await daemon.client.send(task);
  for (let step = 0; step < steps; step++) {
    expect(await requested).toBe(step);
    await untilHelped(daemon.client, id);
    await daemon.kill("SIGKILL");
    requested = next();
    await daemon.restart();
  }
  return { ...(await outcomeOf(daemon, id)), asked, helped, shown: lastShown() };
}

/** The same run undisturbed, killed from outside as each request arrives, and dying right at each record of an answer. */
export function describeModelRunKills(dialect: Dialect, when: Death["when"]): void {
  describe(`a model run of ${STEPS.length} steps (${dialect})`, () => {
    let undisturbed: { outcome: object; shown: unknown };

    it("X1 asks its provider for each step once, and delegates each piece of work once", async () => {
      const { daemon, asked, helped, lastShown } = await startGarden(dialect);
      const { id } = await daemon.client.send(task);
      const { attempt, outcome } = await outcomeOf(daemon, id);
      undisturbed = { outcome, shown: lastShown() };
      expect([attempt, asked, [...helped].sort()]).toEqual([1, every, [...DELEGATIONS].sort()]);
      expect(outcome).toMatchObject({
        state: "completed",
        result: expect.stringMatching(/^First we dig\..*The garden is done\.$/s),
        delegated: DELEGATIONS.map((work) => [work, "completed", `I did ${work}.`, { input: 10, output: 5 }]),
      });
    });

    it("X1 D9 killed as its provider receives each request, it makes each once more, and delegates nothing twice", {
      timeout: TIMEOUT_MS,
    }, async () => {
      const { attempt, outcome, asked, helped, shown } = await killAtEachRequest(dialect, STEPS.length);
      expect(outcome).toEqual(undisturbed.outcome);
      expect(shown).toEqual(undisturbed.shown);
      expect(asked).toEqual(every.flatMap((step) => [step, step]));
      expect([...helped].sort()).toEqual([...DELEGATIONS].sort());
      expect(attempt).toBe(1 + STEPS.length);
    });

    it(`X1 D9 dying right ${when} each answer is recorded, it asks again for what was lost alone, and delegates nothing twice`, {
      timeout: TIMEOUT_MS,
    }, async () => {
      const { env, plan } = deaths();
      let id: string | undefined;
      plan(recordOf(0, when));
      const garden = await startGarden(dialect, {
        env,
        // What was delegated ends before the next answer comes, so that each death hits the run alone.
        hold: async () => {
          if (id !== undefined) await untilHelped(garden.daemon.client, id);
          return undefined;
        },
      });
      const { daemon, asked, helped, lastShown } = garden;
      ({ id } = await daemon.client.send(task));
      for (const step of every) {
        expect((await daemon.exited).signal).toBe("SIGKILL");
        plan(step + 1 < STEPS.length ? recordOf(step + 1, when) : null);
        await daemon.restart();
      }
      const { attempt, outcome } = await outcomeOf(daemon, id);
      expect(outcome).toEqual(undisturbed.outcome);
      expect(lastShown()).toEqual(undisturbed.shown);
      expect(asked).toEqual(COST[when].requests);
      expect([...helped].sort()).toEqual([...DELEGATIONS].sort());
      expect(attempt).toBe(COST[when].attempts);
    });
  });
}
