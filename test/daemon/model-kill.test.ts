import { expect, it, onTestFinished } from "vitest";
import { sendMessage } from "../support/daemon/a2a.js";
import { startDaemon } from "../support/daemon/start-daemon.js";
import { resultOf, untilSettled } from "../support/daemon/watch.js";
import { startFakeAnthropic } from "../support/fake-providers/anthropic.js";
import type { AnswerTurn, ReceivedRequest, Turn } from "../support/fake-providers/script.js";

const STEPS: AnswerTurn[] = [
  ...["One.", "Two.", "Three.", "Four."].map((text) => ({ text, tools: [{ name: "persona_list", args: {} }] })),
  { text: "Done." },
];

/** The first request for a step never gets its answer, or only half of it; the second gets it whole. */
function everySecond({ index }: ReceivedRequest): Turn {
  const step = STEPS[index >> 1] as AnswerTurn;
  if (index % 2 === 1) return step;
  return index % 4 === 0 ? { hang: true } : { text: ["Half of ", `${step.text}`], ending: "hang" };
}

it("X1 a run of a model, killed with SIGKILL at every step, pays for no recorded step again", async () => {
  const provider = await startFakeAnthropic({ turns: everySecond });
  onTestFinished(() => provider.close());
  const daemon = await startDaemon({
    queue: { backoffBaseMs: 10, backoffMaxMs: 20 },
    a2a: { maxAttempts: 20 },
    providers: { main: { type: "anthropic", apiKey: "test-key", baseURL: provider.url } },
    personas: [
      {
        name: "counter",
        visibility: "public",
        provider: "main",
        model: "claude-sonnet-4-6",
        capabilities: { allow: ["persona.send:*"] },
      },
      { name: "other", runtime: "scripted", script: [] },
    ],
  });
  const { id } = await sendMessage(daemon.url, "counter", { text: "Count", returnImmediately: true });
  for (const step of STEPS.keys()) {
    await provider.request(step * 2);
    await daemon.kill("SIGKILL");
    await daemon.restart();
    await provider.request(step * 2 + 1);
  }
  const task = await untilSettled(daemon.client, id);
  expect(task.state).toBe("completed");
  expect(resultOf(task)).toBe("One.\n\nTwo.\n\nThree.\n\nFour.\n\nDone.");
  // A request shows how many steps were recorded when it was made: the message, and an answer and its results for each.
  const recorded = provider.requests.map(({ body }) => (body.messages.length - 1) / 2);
  expect(recorded).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 4, 4]);
});
