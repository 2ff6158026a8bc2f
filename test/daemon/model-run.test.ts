import { expect, it, onTestFinished } from "vitest";
import type { TaskEventJson } from "../../src/http/control/schema/task-event.js";
import { faultsOf } from "../support/daemon/history.js";
import { startDaemon } from "../support/daemon/start-daemon.js";
import { allEvents, allTasks, resultOf, untilLine, untilSaid, untilSettled } from "../support/daemon/watch.js";
import { startFakeAnthropic } from "../support/fake-providers/anthropic.js";
import { startFakeOpenAi } from "../support/fake-providers/openai.js";
import type { AnswerTurn, FakeProvider, ReceivedRequest } from "../support/fake-providers/script.js";

const send = (message: string, await_reply: boolean): AnswerTurn => ({
  text: `${message}, please. `,
  tools: [{ name: "persona_send", args: { target_persona: "worker", message, await_reply } }],
});
/** What the model says at each step of its run: it delegates, looks around, delegates twice more, and reports. */
const STEPS: AnswerTurn[] = [
  send("dig", true),
  { tools: [{ name: "persona_list", args: {} }] },
  send("plant", true),
  send("water", false),
  { text: "The garden is done." },
];

/** How many calls of tools stand behind a request: the step of the run that it asks for. */
const stepOf = ({ body }: ReceivedRequest): number =>
  body.messages.reduce((sum: number, { role, content }: { role: string; content: { type: string }[] | string }) => {
    if (role === "tool") return sum + 1;
    return sum + (Array.isArray(content) ? content.filter(({ type }) => type === "tool_result").length : 0);
  }, 0);

const isText = (event: TaskEventJson, text: string): boolean =>
  event.type === "artifact" && event.artifact.parts.some((part) => part.text?.includes(text));

const worker = (...steps: object[]) => ({
  name: "worker",
  runtime: "scripted",
  maxConcurrent: 4,
  script: [{ steps: [...steps, { reply: "did {{input.text}}" }] }],
});
const boss = (provider: string) => ({
  name: "boss",
  model: "boss-model",
  provider,
  capabilities: { allow: ["persona.send:*"] },
});

/** A provider whose first answer to each step breaks off in the middle, as if it never came to an end. */
async function startFaltering(dialect: "anthropic" | "openai") {
  const asked: number[] = [];
  const provider = await (dialect === "anthropic" ? startFakeAnthropic : startFakeOpenAi)({
    turns: (request) => {
      const step = stepOf(request);
      const isFirst = !asked.includes(step);
      asked.push(step);
      return isFirst ? { text: `half of ${step}`, ending: "hang" } : (STEPS[step] as AnswerTurn);
    },
  });
  onTestFinished(() => provider.close());
  return { provider, asked };
}

const configured = (dialect: "anthropic" | "openai", { url }: FakeProvider) =>
  dialect === "anthropic"
    ? { type: "anthropic", baseURL: url, apiKey: "test-key" }
    : { type: "openai-compatible", baseURL: url, apiKey: "test-key" };

it.each(["anthropic", "openai"] as const)(
  "X1 D9 a model run that is killed at every one of its requests asks for no recorded answer again, and delegates nothing twice (%s)",
  async (dialect) => {
    const { provider, asked } = await startFaltering(dialect);
    const daemon = await startDaemon({
      a2a: { maxAttempts: 20 },
      providers: { main: configured(dialect, provider) },
      personas: [boss("main"), worker()],
    });
    const { client } = daemon;
    const { id } = await client.send({ persona: "boss", text: "Make me a garden" });
    for (let step = 0; step < STEPS.length; step++) {
      await untilLine(client, id, (line) => line.type === "event" && isText(line.event, `half of ${step}`));
      await daemon.kill("SIGKILL");
      await daemon.restart();
    }
    const done = await untilSettled(client, id);

    expect(done.state).toBe("completed");
    expect(resultOf(done)).toContain("The garden is done.");
    expect(resultOf(done)).not.toContain("half of");
    // Each step was in flight once when its process died: that request is the only one that is made again.
    expect(asked).toEqual(STEPS.flatMap((_, step) => [step, step]));
    expect(done.attempt).toBe(1 + STEPS.length);
    // What was paid for and recorded, once; the fake provider bills 10 and 5 an answer.
    expect(done.tokens).toEqual({ input: 10 * STEPS.length, output: 5 * STEPS.length });

    for (const child of done.children) await untilSettled(client, child.id);
    const children = await Promise.all(done.children.map((child) => client.task(child.id)));
    expect(children.map((child) => resultOf(child))).toEqual(["did dig", "did plant", "did water"]);
    const tasks = await allTasks(client);
    expect(tasks).toHaveLength(4);
    for (const task of tasks) expect(faultsOf(task, await allEvents(client, task.id))).toEqual([]);
  },
);

it("X1 D9 a model run that waits for a delegation when the daemon is killed asks for nothing again", async () => {
  const requests: number[] = [];
  const provider = await startFakeOpenAi({
    turns: (request) => {
      requests.push(stepOf(request));
      return STEPS[stepOf(request)] as AnswerTurn;
    },
  });
  onTestFinished(() => provider.close());
  const daemon = await startDaemon({
    providers: { main: configured("openai", provider) },
    personas: [
      boss("main"),
      worker({ status: "working on {{input.text}}" }, { fail: { text: "rain", retryable: true, attempts: 1 } }),
    ],
    queue: { backoffBaseMs: 500, backoffMaxMs: 500 },
  });
  const { client } = daemon;
  const { id } = await client.send({ persona: "boss", text: "Make me a garden" });
  const child = await untilSaid(client, id, "working on dig");
  await daemon.kill("SIGKILL");
  await daemon.restart();
  const done = await untilSettled(client, id);
  expect(done.state).toBe("completed");
  expect(requests).toEqual([0, 1, 2, 3, 4]);
  expect(done.attempt).toBe(1);
  expect(done.children.map((one) => one.id)[0]).toBe(child);
  expect(done.children).toHaveLength(3);
});

it("D11 a delegated task runs on its own persona's provider and model, whoever called it in whatever context", async () => {
  const bossProvider = await startFakeAnthropic({
    apiKey: "boss-key",
    turns: (request) =>
      stepOf(request) === 0
        ? { tools: [{ name: "persona_send", args: { target_persona: "helper", message: "dig", await_reply: true } }] }
        : { text: "The boss is content." },
  });
  const helperProvider = await startFakeOpenAi({
    apiKey: "helper-key",
    turns: () => ({ text: "The helper has dug." }),
  });
  onTestFinished(async () => {
    await bossProvider.close();
    await helperProvider.close();
  });
  const daemon = await startDaemon(
    {
      providers: {
        anthropic: { type: "anthropic", baseURL: bossProvider.url, apiKey: "boss-key" },
        other: { type: "openai-compatible", baseURL: helperProvider.url, apiKey: "helper-key" },
      },
      personas: [
        { ...boss("anthropic"), systemPromptFile: "boss.md" },
        { name: "helper", model: "helper-model", provider: "other", systemPromptFile: "helper.md" },
      ],
    },
    { files: { "boss.md": "You are the boss.", "helper.md": "You are the helper." } },
  );
  const { client } = daemon;
  const first = await client.send({ persona: "boss", text: "boss secret one" });
  const { contextId } = await untilSettled(client, first.id);
  // The same context, spoken to in turns: nothing of a provider sticks to it.
  for (const [persona, text] of [
    ["helper", "helper secret"],
    ["boss", "boss secret two"],
  ] as const) {
    await untilSettled(client, (await client.send({ persona, text, contextId })).id);
  }
  const tasks = await allTasks(client);
  expect(tasks.map(({ persona, state }) => `${persona} ${state}`).sort()).toEqual([
    "boss completed",
    "boss completed",
    "helper completed",
    "helper completed",
    "helper completed",
  ]);
  expect(new Set(tasks.map((task) => task.contextId))).toEqual(new Set([contextId]));

  expect(bossProvider.requests.map(({ body }) => body.model)).toEqual(Array(4).fill("boss-model"));
  expect(helperProvider.requests.map(({ body }) => body.model)).toEqual(Array(3).fill("helper-model"));
  for (const { body } of bossProvider.requests) {
    expect(JSON.stringify(body)).toContain("You are the boss.");
    expect(JSON.stringify(body)).not.toContain("You are the helper.");
    expect(JSON.stringify(body)).not.toContain("helper secret");
  }
  for (const { body } of helperProvider.requests) {
    expect(JSON.stringify(body)).toContain("You are the helper.");
    expect(JSON.stringify(body)).not.toContain("You are the boss.");
    expect(JSON.stringify(body)).not.toContain("boss secret");
  }
});
