import { expect, onTestFinished } from "vitest";
import type { ControlClient } from "../../../src/client/control-client.js";
import { startFakeAnthropic } from "../fake-providers/anthropic.js";
import { startFakeOpenAi } from "../fake-providers/openai.js";
import type { AnswerTurn, FakeProvider, ReceivedRequest, ToolUse } from "../fake-providers/script.js";
import { faultsOf } from "./history.js";
import { startDaemon, type TestDaemon } from "./start-daemon.js";
import { allEvents, allTasks, resultOf, untilSettled } from "./watch.js";

/*
 * A long run: a model that has a garden made. At each step it calls tools, most of which delegate to a helper, which is
 * a model with a provider of its own. Both providers speak a real wire format and count what they are asked.
 */

export type Dialect = "anthropic" | "openai";
export type Step = (taskIds: readonly string[]) => AnswerTurn;

const send = (message: string, await_reply = false): ToolUse => ({
  name: "persona_send",
  args: { target_persona: "helper", message, await_reply },
});
const look = (task_id: string | undefined): ToolUse => ({
  name: "persona_task_status",
  args: { task_id: task_id ?? "none", wait_ms: 60_000 },
});
const list: ToolUse = { name: "persona_list", args: {} };

/** What the model answers at each step; it is told the ids that its calls have given so far, oldest first. */
export const STEPS: readonly Step[] = [
  () => ({ text: "First we dig. ", tools: [send("dig", true)] }),
  () => ({ tools: [list] }),
  () => ({ text: "Then we plant. ", tools: [send("plant", true)] }),
  () => ({ tools: [send("water")] }),
  () => ({ text: "Two things at once. ", tools: [send("prune", true), send("weed")] }),
  (ids) => ({ tools: [look(ids.at(-1))] }),
  () => ({ tools: [send("sow", true), send("mow", true)] }),
  () => ({ tools: [{ name: "persona_send", args: { target_persona: "nobody", message: "help" } }] }),
  () => ({ text: "Nobody came. ", tools: [send("rake")] }),
  (ids) => ({ tools: [look(ids.at(-1)), list] }),
  () => ({ tools: [send("harvest", true)] }),
  () => ({ text: "The garden is done." }),
];

/** What is delegated, in the order in which it is. */
export const DELEGATIONS = ["dig", "plant", "water", "prune", "weed", "sow", "mow", "rake", "harvest"];

/** How many answers of the model stand behind a request: the step that it asks for. */
const stepOf = ({ body }: ReceivedRequest): number =>
  body.messages.filter(({ role }: { role: string }) => role === "assistant").length;

const taskIdsIn = ({ body }: ReceivedRequest): string[] => [
  ...new Set(
    [...JSON.stringify(body.messages).matchAll(/task_id[^0-9a-f]+([0-9a-f-]{36})/g)].map(([, id]) => id as string),
  ),
];

export interface Garden {
  daemon: TestDaemon;
  /** The step of each request to the model's provider, in order. */
  asked: number[];
  /** What each request to the helper's provider was about, in order. */
  helped: string[];
  /** Everything that the model's provider was shown with its last request, without what is made up anew each time. */
  lastShown(): unknown;
}

export interface GardenOptions {
  env?: Record<string, string>;
  /** Called with the step of each request; the answer waits for it. `null` leaves the request unanswered. */
  hold?(step: number): Promise<null | undefined>;
  steps?: readonly Step[];
  /** Where the ledger is, if not in the daemon's own directory. */
  storage?: object;
  leaseMs?: number;
}

/** A daemon with the gardener and its helper. */
export async function startGarden(dialect: Dialect, options: GardenOptions = {}): Promise<Garden> {
  const { hold = async () => undefined, steps = STEPS, env = {}, storage, leaseMs = 30_000 } = options;
  const asked: number[] = [];
  const helped: string[] = [];
  const model = await serve(dialect, async (request) => {
    const step = stepOf(request);
    asked.push(step);
    return (await hold(step)) === null ? { hang: true } : (steps[step] as Step)(taskIdsIn(request));
  });
  const helper = await serve(dialect === "anthropic" ? "openai" : "anthropic", ({ body }) => {
    const { content } = body.messages.at(-1);
    const work: string = typeof content === "string" ? content : content[0].text;
    helped.push(work);
    return { text: `I did ${work}.` };
  });
  const daemon = await startDaemon(
    {
      ...(storage === undefined ? {} : { storage }),
      queue: { concurrency: 20, leaseMs },
      a2a: { maxAttempts: 20, maxConcurrentPerTarget: 100 },
      providers: { model: configured(dialect, model), helper: configured(otherThan(dialect), helper) },
      personas: [
        { name: "gardener", model: "thinker", provider: "model", capabilities: { allow: ["persona.send:*"] } },
        { name: "helper", model: "doer", provider: "helper", maxConcurrent: 10 },
      ],
    },
    { env },
  );
  return { daemon, asked, helped, lastShown: () => withoutChance(model.requests.at(-1)?.body.messages) };
}

const otherThan = (dialect: Dialect): Dialect => (dialect === "anthropic" ? "openai" : "anthropic");

async function serve(
  dialect: Dialect,
  turns: (request: ReceivedRequest) => AnswerTurn | Promise<AnswerTurn | { hang: true }>,
) {
  const provider = await (dialect === "anthropic" ? startFakeAnthropic : startFakeOpenAi)({ turns });
  onTestFinished(() => provider.close());
  return provider;
}

const configured = (dialect: Dialect, { url }: FakeProvider) => ({
  type: dialect === "anthropic" ? "anthropic" : "openai-compatible",
  baseURL: url,
  apiKey: "test-key",
});

/** Ids of tasks and the nonces of fences are other ones in each run. */
const withoutChance = (messages: unknown): unknown =>
  JSON.parse(JSON.stringify(messages).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|\b[0-9a-f]{32}\b/g, "#"));

/** What has come of a run: the same, however often the daemon died on the way. */
export async function outcomeOf({ client }: TestDaemon, id: string) {
  const done = await untilSettled(client, id);
  const children = [];
  for (const child of done.children) children.push(await untilSettled(client, child.id));
  const tasks = (await allTasks(client)).filter(({ rootId }) => rootId === id);
  const faults: string[] = [];
  for (const task of tasks) faults.push(...faultsOf(task, await allEvents(client, task.id)));
  expect(faults).toEqual([]);
  expect(tasks).toHaveLength(1 + children.length);
  return {
    attempt: done.attempt,
    outcome: {
      state: done.state,
      result: resultOf(done),
      tokens: done.tokens,
      delegated: children.map((child) => [
        child.messages[0]?.parts[0]?.text,
        child.state,
        resultOf(child),
        child.tokens,
      ]),
    },
  };
}

/** Waits until nothing that the run has delegated is unfinished, so that a kill hits the run alone. */
export async function untilHelped(client: ControlClient, id: string): Promise<void> {
  for (const child of (await client.task(id)).children) await untilSettled(client, child.id);
}
