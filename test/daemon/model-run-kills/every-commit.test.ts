import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { outcomeOf, type Step, startGarden } from "../../support/daemon/garden.js";
import { deaths } from "../../support/daemon/kill/death.js";
import type { TestDaemon } from "../../support/daemon/start-daemon.js";
import { untilSettled } from "../../support/daemon/watch.js";

/** Of starting a daemon some twenty times on a machine that does other things as well. */
const TIMEOUT_MS = 600_000;

const send = (message: string, await_reply: boolean) => ({
  name: "persona_send",
  args: { target_persona: "helper", message, await_reply },
});
/** A call that is awaited alone, and two at once of which one is. */
const STEPS: Step[] = [
  () => ({ text: "Dig. ", tools: [send("dig", true)] }),
  () => ({ tools: [send("sow", true), send("water", false)] }),
  () => ({ text: "Done." }),
];
const DELEGATIONS = ["dig", "sow", "water"];

it.each(["before", "after"] as const)(
  "X1 D9 one death right %s any commit of a run costs it one request more at most, and no delegation twice",
  { timeout: TIMEOUT_MS },
  async (when) => {
    const { env, plan } = deaths();
    const { daemon, asked, helped } = await startGarden("openai", { env, steps: STEPS });
    const first = await daemon.client.send({ persona: "gardener", text: "garden" });
    const { outcome: undisturbed } = await outcomeOf(daemon, first.id);
    expect([asked, helped.sort()]).toEqual([[0, 1, 2], DELEGATIONS]);

    /** The next daemon dies at commit `later` of the run that works on `garden <later>`. */
    const prepare = (later: number) =>
      plan({ statement: "INSERT INTO events", value: `{"text":"garden ${later}"}`, later, when });
    await daemon.kill("SIGTERM");
    prepare(0);
    await daemon.restart();
    let died = true;
    let commits = 0;
    for (; died; commits++) {
      asked.length = helped.length = 0;
      const message = { persona: "gardener", text: `garden ${commits}`, messageId: randomUUID() };
      died = await diesOf(daemon, message);
      if (died) {
        prepare(commits + 1);
        await daemon.restart();
      }
      // Whoever was not answered asks again, and is told of the task that is there.
      const { id, created } = await daemon.client.send(message);
      expect(created).toBe(when === "before" && commits === 0);
      const { outcome, attempt } = await outcomeOf(daemon, id);
      expect(outcome, `dying ${when} commit ${commits}`).toEqual(undisturbed);
      expect(attempt).toBeLessThanOrEqual(2);
      expect([...new Set(asked)]).toEqual([0, 1, 2]);
      expect(asked.length, `requests when dying ${when} commit ${commits}`).toBeLessThanOrEqual(STEPS.length + 1);
      expect([...new Set(helped)].sort()).toEqual(DELEGATIONS);
      for (const work of DELEGATIONS) expect(helped.filter((one) => one === work).length).toBeLessThanOrEqual(2);
    }
    // The submission, two answers, three delegations and how each ends, and the outcome: less would not be all.
    expect(commits).toBeGreaterThan(9);
  },
);

/** Sends a message and says whether the daemon died of it, or has done what it asks for. */
async function diesOf({ client, exited }: TestDaemon, message: { persona: string; text: string }): Promise<boolean> {
  const done = (async () => {
    const { id } = await client.send(message);
    await untilSettled(client, id);
  })();
  const died = exited.then(({ signal }) => expect(signal).toBe("SIGKILL"));
  return Promise.race([
    done.then(
      () => false,
      () => died.then(() => true),
    ),
    died.then(() => true),
  ]);
}
