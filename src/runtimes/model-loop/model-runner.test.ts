import { afterEach, describe, expect, it } from "vitest";
import { startFakeAnthropic } from "../../../test/support/fake-providers/anthropic.js";
import { startFakeOpenAi } from "../../../test/support/fake-providers/openai.js";
import type { FakeProvider, Script } from "../../../test/support/fake-providers/script.js";
import { FakeTask, toolResult } from "../../../test/support/fake-run.js";
import { testPersona } from "../../../test/support/test-house.js";
import type { Persona } from "../../personas/persona.js";
import type { Provider } from "../../personas/provider.js";
import { PersonaRegistry } from "../../personas/registry.js";
import type { TaskSnapshot } from "../../tasks/task.js";
import { ModelRunner } from "./model-runner.js";

const KEY = "sk-test-0123456789";
const started: FakeProvider[] = [];
afterEach(async () => {
  for (const provider of started.splice(0)) await provider.close();
});

const persona = (name: string, provider: string, limits: Limits = {}): Persona => {
  const model = { provider, model: "claude-sonnet-4-6", systemPrompt: `You are the ${name}.` };
  return testPersona(name, { runtime: { type: "model", ...model, maxSteps: 20, timeoutMs: 60_000, ...limits } });
};

interface Limits {
  maxSteps?: number;
  timeoutMs?: number;
}

interface Setup {
  limits?: Limits;
  earlier?: TaskSnapshot[];
  env?: Record<string, string>;
  provider?: Provider;
}

function runnerOn(url: string, dialect: "anthropic" | "openai", setup: Setup = {}): ModelRunner {
  const provider: Provider =
    setup.provider ??
    (dialect === "anthropic"
      ? { type: "anthropic", apiKey: KEY, baseURL: url }
      : { type: "openai-compatible", apiKey: KEY, baseURL: url });
  return new ModelRunner({
    personas: new PersonaRegistry([persona("writer", "main", setup.limits)]),
    providers: { main: provider },
    ledger: {
      forTenant: () => ({
        conversation: async () => setup.earlier ?? [],
        snapshot: async () => null,
        tokensOfRoot: async () => 0,
      }),
    },
    maxTokensPerRoot: 1_000_000,
    countInvocation: async () => {},
    env: (name) => setup.env?.[name],
    fetch,
  });
}

async function start(dialect: "anthropic" | "openai", turns: Script, setup: Setup = {}) {
  const provider = await (dialect === "anthropic" ? startFakeAnthropic : startFakeOpenAi)({ turns, apiKey: KEY });
  started.push(provider);
  return { provider, runner: runnerOn(provider.url, dialect, setup) };
}

/** What a run came to, whether it returned or threw. */
const settle = (promise: Promise<unknown>) =>
  promise.then(
    (outcome) => outcome as { type: string; reason?: string; retryable?: boolean },
    (error: Error & { retryable?: boolean }) => ({
      type: "thrown",
      reason: error.message,
      retryable: error.retryable ?? false,
    }),
  );

describe.each(["anthropic", "openai"] as const)("ModelRunner on %s", (dialect) => {
  it("streams the text of the model as chunks of the artifact result, and marks the last", async () => {
    const { provider, runner } = await start(dialect, [
      { text: ["Grüße ", "aus ", "Köln 🎭"], usage: { input: 12, output: 7 } },
    ]);
    const task = new FakeTask("Say hello");
    const run = task.attempt();
    expect(await runner.run(run)).toEqual({ type: "completed" });
    run.flush();
    expect(task.result).toBe("Grüße aus Köln 🎭");
    expect(task.shown.map((progress) => progress.type === "artifact" && [progress.append, progress.lastChunk])).toEqual(
      [
        [false, false],
        [true, false],
        [true, false],
        [true, true],
      ],
    );
    expect([task.inputTokens, task.outputTokens]).toEqual([12, 7]);
    expect(provider.requests).toHaveLength(1);
    expect(JSON.stringify(provider.requests[0]?.body)).toContain("You are the writer.");
  });

  it("gives tool results to the model and goes on until it answers", async () => {
    const { provider, runner } = await start(dialect, [
      {
        text: "Let me look.",
        tools: [
          { id: "same", name: "look", args: { q: "a" } },
          { id: "same-2", name: "look", args: { q: "b" } },
        ],
      },
      { text: "Found it." },
    ]);
    const task = new FakeTask("Look it up");
    const run = task.attempt({ look: (args) => toolResult(`seen ${(args as { q: string }).q}`) });
    expect(await runner.run(run)).toEqual({ type: "completed" });
    run.flush();
    expect(task.result).toBe("Let me look.\n\nFound it.");
    expect(task.toolCalls).toEqual([
      { name: "look", args: { q: "a" }, callId: "t00010001", last: false },
      { name: "look", args: { q: "b" }, callId: "t00010002", last: true },
    ]);
    const second = JSON.stringify(provider.requests[1]?.body.messages);
    expect(second).toContain("seen a");
    expect(second).toContain("seen b");
    expect(second).toContain("t00010002");
  });

  it("X1 killed after each recorded step, it goes on without asking for that step again", async () => {
    const { provider, runner } = await start(dialect, [
      { text: "One.", tools: [{ name: "look", args: { q: "1" } }] },
      { text: "Two.", tools: [{ name: "look", args: { q: "2" } }] },
      { text: "Three.", tools: [{ name: "look", args: { q: "3" } }] },
      { text: "Done." },
    ]);
    const task = new FakeTask("Count");
    for (const stop of [1, 2, 3]) {
      const run = task.attempt({ look: () => toolResult(`result ${stop}`) });
      run.afterRecord = () => {
        throw new Error("killed");
      };
      await expect(runner.run(run)).rejects.toThrow("killed");
      expect(provider.requests).toHaveLength(stop);
    }
    const run = task.attempt({ look: () => toolResult("result") });
    expect(await runner.run(run)).toEqual({ type: "completed" });
    run.flush();
    expect(provider.requests).toHaveLength(4);
    expect(task.result).toBe("One.\n\nTwo.\n\nThree.\n\nDone.");
  });

  it("X1 an answer that was recorded before the outcome was is not asked for again", async () => {
    const { provider, runner } = await start(dialect, [{ text: "Done." }]);
    const task = new FakeTask("Work");
    const killed = task.attempt();
    await runner.run(killed);
    killed.flush();
    const run = task.attempt();
    expect(await runner.run(run)).toEqual({ type: "completed" });
    run.flush();
    expect(provider.requests).toHaveLength(1);
    expect(task.result).toBe("Done.");
  });

  it.each(["cut", "close", "error"] as const)(
    "X1 an answer that ends early (%s) is a retryable failure, and the next attempt takes its half back",
    async (ending) => {
      const { provider, runner } = await start(dialect, [
        { text: "First.", tools: [{ name: "look", args: {} }] },
        { text: ["Half ", "of an ", "answer"], ending },
        { text: "Whole answer." },
      ]);
      const task = new FakeTask("Work");
      const first = task.attempt({ look: () => toolResult("seen") });
      const outcome = await settle(runner.run(first));
      expect(outcome).toMatchObject({ type: "thrown", retryable: true });
      expect(outcome.reason).toMatch(/^provider "main" (broke off its answer|ended its answer|gave no usable answer)/);
      first.flush();
      expect(task.result).toMatch(/^First\.\n\nHalf/);

      const second = task.attempt({ look: () => toolResult("not called again") });
      const before = task.shown.length;
      expect(await runner.run(second)).toEqual({ type: "completed" });
      second.flush();
      expect(task.shown[before]).toMatchObject({ append: false, artifact: { parts: [{ text: "First." }] } });
      expect(task.result).toBe("First.\n\nWhole answer.");
      expect(provider.requests).toHaveLength(3);
      expect(task.toolCalls).toHaveLength(1);
    },
  );

  it("takes the half of a lost first step back to nothing", async () => {
    const { runner } = await start(dialect, [
      { text: ["Half", " an", " answer"], ending: "cut" },
      { tools: [{ name: "wait", args: {} }] },
    ]);
    const task = new FakeTask("Work");
    const first = task.attempt();
    await settle(runner.run(first));
    first.flush();
    expect(task.result).not.toBe("");
    const second = task.attempt({ wait: () => ({ type: "parked" }) });
    expect(await runner.run(second)).toEqual({ type: "parked" });
    expect(task.result).toBe("");
  });

  it("tells the model about arguments that are no JSON and makes no call", async () => {
    const { provider, runner } = await start(dialect, [
      { tools: [{ name: "look", args: '{"q": ' }] },
      { text: "Sorry." },
    ]);
    const task = new FakeTask("Work");
    const run = task.attempt({ look: () => toolResult("seen") });
    expect(await runner.run(run)).toEqual({ type: "completed" });
    expect(task.toolCalls).toEqual([]);
    expect(JSON.stringify(provider.requests[1]?.body.messages)).toContain("must be one JSON object");
  });

  it("D6 a tool that the run does not have is refused by the tool box, and the model is told", async () => {
    const { provider, runner } = await start(dialect, [
      { tools: [{ name: "persona_send", args: { message: "hi" } }] },
      { text: "I cannot." },
    ]);
    const task = new FakeTask("Work");
    const run = task.attempt();
    expect(await runner.run(run)).toEqual({ type: "completed" });
    expect(provider.requests[0]?.body.tools).toBeUndefined();
    expect(JSON.stringify(provider.requests[1]?.body.messages)).toContain('there is no tool \\"persona_send\\"');
  });

  it("fails with the limit in the reason when the model never stops calling tools", async () => {
    const again = { tools: [{ name: "look", args: {} }] };
    const { provider, runner } = await start(dialect, () => again, { limits: { maxSteps: 3 } });
    const run = new FakeTask("Work").attempt({ look: () => toolResult("seen") });
    expect(await runner.run(run)).toEqual({
      type: "failed",
      reason: "the model was still calling tools after 3 answers (maxSteps)",
      retryable: false,
    });
    expect(provider.requests).toHaveLength(3);
  });

  it("awaits every call of an answer that has to wait, until the earliest time, then goes on", async () => {
    const { provider, runner } = await start(dialect, [
      {
        tools: [
          { name: "send", args: { q: "a" } },
          { name: "look", args: {} },
          { name: "send", args: { q: "b" } },
        ],
      },
      { text: "Both are done." },
    ]);
    const task = new FakeTask("Work");
    const run = task.attempt({
      look: () => toolResult("seen"),
      send: (args) => {
        const { q } = args as { q: string };
        return { type: "wait", taskIds: [`child-${q}`], until: q === "a" ? 2000 : 1000 };
      },
    });
    expect(await runner.run(run)).toEqual({ type: "awaiting", taskIds: ["child-a", "child-b"], until: 1000 });
    expect(task.toolCalls.map(({ last }) => last)).toEqual([false, false, false]);
    run.flush();

    const woken = task.attempt({ look: () => toolResult("not called again"), send: () => toolResult("reply") });
    expect(await runner.run(woken)).toEqual({ type: "completed" });
    expect(task.toolCalls.map(({ name, callId }) => `${name} ${callId}`)).toEqual([
      "send t00010001",
      "look t00010002",
      "send t00010003",
      "send t00010001",
      "send t00010003",
    ]);
    expect(provider.requests).toHaveLength(2);
  });

  it("lets the only call that is left park the attempt", async () => {
    const { runner } = await start(dialect, [{ tools: [{ name: "send", args: {} }] }]);
    const run = new FakeTask("Work").attempt({
      send: (_args, _id, last) => (last ? { type: "parked" } : { type: "wait", taskIds: [], until: 0 }),
    });
    expect(await runner.run(run)).toEqual({ type: "parked" });
  });

  it("ends the turn with a question, and the answer comes back as the result of that call", async () => {
    const { provider, runner } = await start(dialect, [
      {
        tools: [
          { name: "ask", args: {} },
          { name: "look", args: {} },
        ],
      },
      { text: "Thank you." },
    ]);
    const task = new FakeTask("Work");
    const first = task.attempt({ ask: () => ({ type: "ask", waitingFor: "input", question: "Which one?" }) });
    expect(await runner.run(first)).toMatchObject({
      type: "asked",
      waitingFor: "input",
      message: { role: "agent", parts: [{ text: "Which one?" }] },
    });
    first.flush();
    expect(task.toolCalls.map(({ name }) => name)).toEqual(["ask"]);

    task.say("The red one");
    const second = task.attempt({ ask: () => toolResult("The red one"), look: () => toolResult("seen") });
    expect(await runner.run(second)).toEqual({ type: "completed" });
    const messages = provider.requests[1]?.body.messages;
    expect(JSON.stringify(messages).match(/The red one/g)).toHaveLength(1);
  });

  it("closes the connection to the provider when the run is aborted", async () => {
    const { provider, runner } = await start(dialect, [{ text: ["So ", "far"], ending: "hang" }]);
    const stop = new AbortController();
    const run = new FakeTask("Work").attempt({}, stop.signal);
    run.onEmit = () => stop.abort(new Error("canceled"));
    expect(await settle(runner.run(run))).toMatchObject({ type: "thrown", reason: "canceled" });
    await provider.requests[0]?.abandoned;
  });

  it("stops at the time limit, retryably, and closes the connection", async () => {
    const { provider, runner } = await start(dialect, [{ hang: true }], { limits: { timeoutMs: 50 } });
    const run = new FakeTask("Work").attempt();
    expect(await settle(runner.run(run))).toEqual({
      type: "thrown",
      reason: "the run took longer than 50 ms (timeoutMs)",
      retryable: true,
    });
    await provider.requests[0]?.abandoned;
  });

  it.each([
    [400, false],
    [401, false],
    [403, false],
    [404, false],
    [408, true],
    [429, true],
    [500, true],
    [529, true],
    [302, false],
  ])("HTTP %i is a failure; retryable: %s", async (status, retryable) => {
    const message = `no: ${KEY} ${"x".repeat(5000)}`;
    const headers = { location: "http://127.0.0.1:1/elsewhere" };
    const { provider, runner } = await start(dialect, [{ status, message, headers }]);
    const outcome = await settle(runner.run(new FakeTask("Work").attempt()));
    expect(outcome).toMatchObject({ type: "thrown", retryable });
    expect(outcome.reason).toContain(`provider "main" answered with HTTP ${status}`);
    expect(outcome.reason).not.toContain(KEY);
    expect(outcome.reason?.length).toBeLessThan(600);
    expect(provider.requests).toHaveLength(1);
  });

  it("a provider that cannot be reached is a retryable failure that says why", async () => {
    const { provider } = await start(dialect, []);
    await provider.close();
    started.length = 0;
    const outcome = await settle(runnerOn(provider.url, dialect).run(new FakeTask("Work").attempt()));
    expect(outcome).toMatchObject({ type: "thrown", retryable: true });
    expect(outcome.reason).toMatch(/^provider "main" could not be reached: .*ECONNREFUSED/);
  });

  it("an empty answer completes without an artifact", async () => {
    const { runner } = await start(dialect, [{}]);
    const task = new FakeTask("Work");
    const run = task.attempt();
    expect(await runner.run(run)).toEqual({ type: "completed" });
    run.flush();
    expect(task.shown).toEqual([]);
  });

  it("says so when the answer ran into the output limit", async () => {
    const { runner } = await start(dialect, [{ text: "Half of", truncated: true }]);
    const task = new FakeTask("Work");
    const run = task.attempt();
    expect(await runner.run(run)).toMatchObject({
      type: "completed",
      message: { parts: [{ text: "The answer was cut off at the output limit of the model." }] },
    });
  });
});

describe("ModelRunner", () => {
  const earlier = (): TaskSnapshot => {
    const task = new FakeTask("My name is Ada.").task;
    task.artifacts = [{ artifactId: "result", parts: [{ text: "Hello Ada." }] }];
    return task;
  };

  it.each([0, 2])("shows a model what it and its caller said earlier in the context (hop %i)", async (hop) => {
    const { provider, runner } = await start("openai", [{ text: "Ada." }], { earlier: [earlier()] });
    await runner.run(new FakeTask("What is my name?", { hop }).attempt());
    expect(provider.requests[0]?.body.messages).toEqual([
      { role: "system", content: "You are the writer." },
      { role: "user", content: "My name is Ada." },
      { role: "assistant", content: "Hello Ada." },
      { role: "user", content: "What is my name?" },
    ]);
  });

  it("shows a delegated task only what it was sent", async () => {
    const { provider, runner } = await start("openai", [{ text: "?" }], { earlier: [earlier()] });
    await runner.run(new FakeTask("What is my name?", { parentId: "parent", hop: 1 }).attempt());
    expect(provider.requests[0]?.body.messages).toEqual([
      { role: "system", content: "You are the writer." },
      { role: "user", content: "What is my name?" },
    ]);
  });

  it("D11 each persona calls its own provider, also in one context", async () => {
    const a = await startFakeAnthropic({ turns: [{ text: "from a" }], apiKey: "key-a" });
    const b = await startFakeOpenAi({ turns: [{ text: "from b" }], apiKey: "key-b" });
    started.push(a, b);
    const runner = new ModelRunner({
      personas: new PersonaRegistry([persona("writer", "a"), persona("editor", "b")]),
      providers: {
        a: { type: "anthropic", apiKey: "key-a", baseURL: a.url },
        b: { type: "openai-compatible", apiKey: "key-b", baseURL: b.url },
      },
      ledger: {
        forTenant: () => ({ conversation: async () => [], snapshot: async () => null, tokensOfRoot: async () => 0 }),
      },
      maxTokensPerRoot: 1_000_000,
      countInvocation: async () => {},
      env: () => undefined,
      fetch,
    });
    await runner.run(new FakeTask("Write", { persona: "writer" }).attempt());
    await runner.run(new FakeTask("Edit", { persona: "editor", parentId: "parent", hop: 1 }).attempt());
    expect(a.requests.map(({ body }) => JSON.stringify(body).includes("You are the writer."))).toEqual([true]);
    expect(b.requests.map(({ body }) => JSON.stringify(body).includes("You are the editor."))).toEqual([true]);
  });

  it("D15 reads the key of the built-in provider at the first call, and says which variable is missing", async () => {
    const { provider } = await start("anthropic", [{ text: "hi" }]);
    const unset: Provider = { type: "anthropic", baseURL: provider.url };
    const without = runnerOn(provider.url, "anthropic", { provider: unset });
    expect(await settle(without.run(new FakeTask("Work").attempt()))).toEqual({
      type: "thrown",
      reason:
        'provider "main" has no API key: start the daemon with ANTHROPIC_API_KEY in its environment, or set apiKey under providers.main',
      retryable: false,
    });
    const env = { ANTHROPIC_API_KEY: KEY };
    const withKey = runnerOn(provider.url, "anthropic", { provider: unset, env });
    expect(await withKey.run(new FakeTask("Work").attempt())).toEqual({ type: "completed" });
  });

  it("sends no Authorization header to a provider without a key", async () => {
    const { provider } = await start("openai", [{ text: "hi" }]);
    const open: Provider = { type: "openai-compatible", baseURL: provider.url };
    await settle(runnerOn(provider.url, "openai", { provider: open }).run(new FakeTask("Work").attempt()));
    expect(provider.requests[0]?.headers.authorization).toBeUndefined();
  });
});
