import { readFileSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { sendMessage } from "../support/daemon/a2a.js";
import { startDaemon } from "../support/daemon/start-daemon.js";
import { allTasks, resultOf, untilSettled } from "../support/daemon/watch.js";
import { startFakeAnthropic } from "../support/fake-providers/anthropic.js";
import type { AnswerTurn } from "../support/fake-providers/script.js";

const exampleFile = (path: string): string => readFileSync(new URL(`../../examples/${path}`, import.meta.url), "utf8");

/** The example as it stands, on a free port and with its data elsewhere. */
const example = (name: string): object => {
  const { dataDir: _, server: __, ...config } = parse(exampleFile(`${name}/nuncio.yaml`));
  return config;
};

const promptFiles = Object.fromEntries(
  ["orchestrator", "researcher", "writer"].map((name) => {
    const path = `personas/${name}/system.md`;
    return [path, exampleFile(`orchestrator-model/${path}`)];
  }),
);

it("D15 the scripted example has a request researched, then written, and answers an A2A client with the post", async () => {
  const daemon = await startDaemon(example("orchestrator"));
  const task = await sendMessage(daemon.url, "orchestrator", { text: "Write a short post about AWS Lambda pricing" });
  expect(resultOf(task)).toContain("0.20 USD per million");
  const states = (await allTasks(daemon.client)).map(({ persona, state, trigger }) => [persona, state, trigger]);
  expect(states.sort()).toEqual([
    ["orchestrator", "completed", "a2a"],
    ["researcher", "completed", "delegation"],
    ["writer", "completed", "delegation"],
  ]);
});

it("D15 the example with models runs: the orchestrator awaits the researcher, then the writer, and answers", async () => {
  const delegate = (target_persona: string, message: string): AnswerTurn => ({
    tools: [{ name: "persona_send", args: { target_persona, message, await_reply: true } }],
  });
  // Told by their prompts, as a model would tell them; the orchestrator goes on with each result that it is shown.
  const provider = await startFakeAnthropic({
    turns: ({ body }) => {
      const { system, messages } = body;
      const prompt = JSON.stringify(system);
      const results = JSON.stringify(messages).split('"tool_result"').length - 1;
      if (prompt.includes(JSON.stringify(promptFiles["personas/researcher/system.md"]).slice(1, 40))) {
        return { text: "fact: tides turn twice a day" };
      }
      if (prompt.includes(JSON.stringify(promptFiles["personas/writer/system.md"]).slice(1, 40))) {
        return { text: "post: the tide is a clock" };
      }
      if (results === 0) return delegate("researcher", "find facts on tides");
      if (results === 1) return delegate("writer", "write from the facts");
      return { text: "Here is the post: the tide is a clock" };
    },
  });
  onTestFinished(() => provider.close());
  const daemon = await startDaemon(
    { ...example("orchestrator-model"), providers: { anthropic: { type: "anthropic", baseURL: provider.url } } },
    { files: promptFiles, env: { ANTHROPIC_API_KEY: "test-key" } },
  );

  const { id } = await daemon.client.send({ persona: "orchestrator", text: "Write a short post about tides" });
  const task = await untilSettled(daemon.client, id);
  expect([task.state, resultOf(task)]).toEqual(["completed", expect.stringContaining("the tide is a clock")]);
  const order = (await allTasks(daemon.client)).filter(({ parentId }) => parentId === id);
  expect(order.map(({ persona, state }) => [persona, state]).sort()).toEqual([
    ["researcher", "completed"],
    ["writer", "completed"],
  ]);
  expect(provider.requests).toHaveLength(5);
});
