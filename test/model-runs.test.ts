import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Persona } from "../src/personas/persona.js";
import type { Provider } from "../src/personas/provider.js";
import { PersonaRegistry } from "../src/personas/registry.js";
import { ModelRunner } from "../src/runtimes/model-loop/model-runner.js";
import { systemClock } from "../src/shared/clock.js";
import { newId } from "../src/shared/ids.js";
import { sqlLedger } from "../src/store/sql-ledger.js";
import { openSqlite } from "../src/store/sqlite/open-sqlite.js";
import type { Approval } from "../src/tasks/approval-ledger.js";
import { bodyHash } from "../src/tasks/body-hash.js";
import { applyEvent, emptyFold } from "../src/tasks/fold.js";
import { TaskFollowers } from "../src/tasks/follow.js";
import { ledgerTaskService } from "../src/tasks/ledger-task-service.js";
import { type Message, textOf } from "../src/tasks/message.js";
import type { TaskSnapshot } from "../src/tasks/task.js";
import { Worker } from "../src/tasks/worker.js";
import { hostTools, ToolCatalog } from "../src/tools/catalog.js";
import { toolBoxFactory } from "../src/tools/tool-box.js";
import { startFakeAnthropic } from "./support/fake-providers/anthropic.js";
import { startFakeOpenAi } from "./support/fake-providers/openai.js";
import type { FakeProvider, ReceivedRequest, Script, Turn } from "./support/fake-providers/script.js";
import { NOTHING_OUTSIDE } from "./support/nothing-outside.js";
import { testPersona } from "./support/test-house.js";

const LIMITS = {
  maxHops: 4,
  maxConcurrentPerTarget: 1,
  maxAttempts: 5,
  maxChildrenPerTask: 20,
  maxTasksPerRoot: 200,
  maxTokensPerRoot: 1_000_000,
};

let directory: string;
const cleanUp: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "nuncio-model-"));
});
afterEach(async () => {
  for (const clean of cleanUp.splice(0).reverse()) await clean();
  await rm(directory, { recursive: true, force: true });
});

const modelPersona = (name: string, allow: string[] = []): Persona => {
  const model = { provider: name, model: "claude-sonnet-4-6", systemPrompt: `You are the ${name}.` };
  return testPersona(name, {
    capabilities: { allow, requireApproval: [] },
    runtime: { type: "model", ...model, maxSteps: 20, timeoutMs: 60_000 },
  });
};

/** A provider of its own for each persona, under its name. */
async function provide(dialect: "anthropic" | "openai", turns: Script): Promise<[FakeProvider, Provider]> {
  const fake = await (dialect === "anthropic" ? startFakeAnthropic : startFakeOpenAi)({ turns });
  cleanUp.push(() => fake.close());
  const type = dialect === "anthropic" ? "anthropic" : "openai-compatible";
  return [fake, { type, apiKey: "test-key", baseURL: fake.url }];
}

interface Said {
  principal?: string;
  referenceTaskIds?: string[];
}

/** The real ledger, engine and tools, with one slot, on models. */
function house(
  personas: readonly Persona[],
  providers: Record<string, Provider>,
  { maxTokensPerRoot } = { maxTokensPerRoot: LIMITS.maxTokensPerRoot },
) {
  const ledger = sqlLedger(openSqlite(join(directory, "ledger.db")));
  cleanUp.push(() => ledger.close());
  const registry = new PersonaRegistry(personas);
  const limits = { ...LIMITS, maxTokensPerRoot };
  const catalog = new ToolCatalog(
    hostTools({ ...NOTHING_OUTSIDE, ledger, personas: registry, limits, clock: systemClock }),
  );
  const parts = { personas: registry, providers, ledger, maxTokensPerRoot };
  const runner = new ModelRunner({ ...parts, env: () => undefined, fetch, countInvocation: async () => {} });
  const errors: unknown[] = [];
  const startWorker = () => {
    const worker = new Worker({
      ledger,
      owner: newId(),
      clock: systemClock,
      personas,
      runnerFor: () => runner,
      tools: toolBoxFactory(catalog, registry, { ledger, clock: systemClock, expireAfterMs: 60_000 }),
      concurrency: 1,
      leaseMs: 30_000,
      backoffBaseMs: 1,
      backoffMaxMs: 2,
      alone: true,
      onError: (error) => errors.push(error),
    });
    worker.start();
    cleanUp.push(() => worker.drain(0));
    return worker;
  };
  const worker = startWorker();
  const tasks = ledgerTaskService({ ledger, worker, clock: systemClock, maxAttempts: LIMITS.maxAttempts });
  const followers = new TaskFollowers(ledger);
  cleanUp.push(async () => followers.close());
  const message = (text: string): Message => ({ messageId: newId(), role: "user", parts: [{ text }] });
  return {
    ledger: ledger.forTenant("default"),
    startWorker,
    errors,
    async submit(persona: string, text: string, contextId = newId(), more: Said = {}): Promise<string> {
      const { principal = "user:test", ...rest } = more;
      const said = { ...message(text), ...rest };
      const caller = { tenant: "default", principal, trigger: "api" as const };
      const { task } = await tasks.submit({ ...caller, persona, contextId, message: said, bodyHash: bodyHash(said) });
      return task.id;
    },
    /** Resolves when the task has said this, and that is recorded. */
    async said(id: string, text: string): Promise<void> {
      for await (const batch of followers.events("default", id, 0, AbortSignal.timeout(30_000))) {
        if (batch.some((event) => event.type === "artifact" && textOf(event.artifact).includes(text))) return;
      }
      throw new Error(`the task has not said ${text}`);
    },
    cancel: (taskId: string) => tasks.cancel({ tenant: "default", taskId, reason: "no longer needed" }),
    async answer(taskId: string, text: string): Promise<void> {
      const said = message(text);
      await tasks.answer({
        tenant: "default",
        taskId,
        principal: "user:test",
        message: said,
        bodyHash: bodyHash(said),
      });
    },
    /** What waits for the operator, newest first, once it is so many. */
    async asked(count: number): Promise<Approval[]> {
      for (;;) {
        const changed = new Promise<void>((resolve) => {
          const stop = ledger.onChange(() => {
            stop();
            resolve();
          });
        });
        const { items } = await ledger.system.approvals.list({ limit: 10 });
        if (items.length === count) return items;
        await changed;
      }
    },
    decide: (id: string, decision: "approved" | "denied", reason = "") =>
      ledger.system.approvals.decide({ id, decision, reason, now: systemClock.now() }),
    /** The task once it has ended or asks. */
    async settled(id: string): Promise<TaskSnapshot> {
      const ledgerOfTenant = ledger.forTenant("default");
      const snapshot = (await ledgerOfTenant.snapshot(id)) as TaskSnapshot;
      await followers.untilSettled(snapshot, AbortSignal.timeout(30_000));
      return (await ledgerOfTenant.snapshot(id)) as TaskSnapshot;
    },
  };
}

const resultOf = (task: TaskSnapshot): string => task.artifacts.map(textOf).join();
const sawTools = ({ body }: ReceivedRequest): string => JSON.stringify(body.messages);

describe("runs of models on the real ledger", () => {
  it("D1 D3 D11 D17 one slot: an orchestrator awaits a researcher; each runs on its own provider", async () => {
    const send = { target_persona: "researcher", message: "Find the price", await_reply: true };
    const [orchestrator, first] = await provide("anthropic", [
      { text: "I ask the researcher.", tools: [{ name: "persona_send", args: send }] },
      { text: "It costs 5 dollars.", usage: { input: 100, output: 20 } },
    ]);
    const [researcher, second] = await provide("openai", [{ text: ["The price ", "is 5 dollars."] }]);
    const { submit, settled, ledger, errors } = house(
      [modelPersona("orchestrator", ["persona.send:*"]), modelPersona("researcher")],
      { orchestrator: first, researcher: second },
    );
    const task = await settled(await submit("orchestrator", "What does it cost?"));
    expect(task).toMatchObject({ state: "completed", inputTokens: 110, outputTokens: 25 });
    expect(resultOf(task)).toBe("I ask the researcher.\n\nIt costs 5 dollars.");
    expect(orchestrator.requests).toHaveLength(2);
    expect(researcher.requests).toHaveLength(1);
    expect(researcher.requests[0]?.body.messages.at(-1)).toEqual({ role: "user", content: "Find the price" });
    expect(sawTools(orchestrator.requests[1] as ReceivedRequest)).toContain("The price is 5 dollars.");
    expect(await ledger.children(task.id)).toHaveLength(1);
    expect(errors).toEqual([]);
  });

  it("awaits several delegations of one answer, and answers when all replies are there", async () => {
    const send = (name: string) => ({
      name: "persona_send",
      args: { target_persona: name, message: `for ${name}`, await_reply: true },
    });
    const [orchestrator, first] = await provide("openai", [
      { tools: [send("researcher"), send("writer")] },
      { text: "Both answered." },
    ]);
    const [, second] = await provide("anthropic", [{ text: "from the researcher" }]);
    const [, third] = await provide("anthropic", [{ text: "from the writer" }]);
    const { submit, settled } = house(
      [modelPersona("orchestrator", ["persona.send:*"]), modelPersona("researcher"), modelPersona("writer")],
      { orchestrator: first, researcher: second, writer: third },
    );
    const task = await settled(await submit("orchestrator", "Ask both"));
    expect(resultOf(task)).toBe("Both answered.");
    expect(orchestrator.requests).toHaveLength(2);
    const seen = sawTools(orchestrator.requests[1] as ReceivedRequest);
    expect(seen).toContain("from the researcher");
    expect(seen).toContain("from the writer");
  });

  it("every call of one answer that needs an approval asks at once; what is denied comes back as such, and replies go on", async () => {
    const send = (name: string) => ({
      name: "persona_send",
      args: { target_persona: name, message: `for ${name}`, await_reply: true },
    });
    const [orchestrator, first] = await provide("openai", [
      { tools: [send("researcher"), send("writer"), send("editor")] },
      { text: "Done with what was allowed." },
    ]);
    const [researcher, second] = await provide("anthropic", [{ text: "from the researcher" }]);
    const [writer, third] = await provide("anthropic", [{ text: "from the writer" }]);
    const [editor, fourth] = await provide("anthropic", [{ text: "from the editor" }]);
    const careful = modelPersona("orchestrator", ["persona.send:*"]);
    const requireApproval = ["persona.send:writer", "persona.send:editor"];
    const { submit, settled, asked, decide, ledger, startWorker, errors } = house(
      [
        { ...careful, capabilities: { ...careful.capabilities, requireApproval } },
        ...["researcher", "writer", "editor"].map((name) => modelPersona(name)),
      ],
      { orchestrator: first, researcher: second, writer: third, editor: fourth },
    );
    const id = await submit("orchestrator", "Ask all");
    const approvals = await asked(2);
    expect(approvals.map(({ arguments: args }) => args)).toMatchObject([
      { target_persona: "editor", message: "for editor" },
      { target_persona: "writer", message: "for writer" },
    ]);
    startWorker(); // as after a crash: all that was asked is in the ledger
    await decide(approvals[0]?.id as string, "denied", "not the editor");
    await decide(approvals[1]?.id as string, "approved");
    const task = await settled(id);
    expect(resultOf(task)).toBe("Done with what was allowed.");
    expect(orchestrator.requests).toHaveLength(2);
    const seen = sawTools(orchestrator.requests[1] as ReceivedRequest);
    for (const text of ["from the researcher", "from the writer", "the operator has denied it: not the editor"]) {
      expect(seen).toContain(text);
    }
    expect([researcher, writer, editor].map(({ requests }) => requests.length)).toEqual([1, 1, 0]);
    expect(await ledger.children(id)).toHaveLength(2);
    expect(task.attempt).toBe(1);
    expect(errors).toEqual([]);
  });

  it("X1 a worker that dies in any step is followed by one that asks for no recorded step again", async () => {
    const answers: Turn[] = [
      { text: "One.", tools: [{ name: "persona_list", args: {} }] },
      { text: "Two.", tools: [{ name: "persona_list", args: {} }] },
      { text: "Three.", tools: [{ name: "persona_list", args: {} }] },
      { text: "Done." },
    ];
    // Every answer is first begun and never ended; a second request for it gets it whole.
    const lost = ({ index }: ReceivedRequest): Turn => {
      const answer = answers[index >> 1] as Exclude<Turn, { status: number } | { hang: true }>;
      return index % 2 === 0 ? { text: [`half of ${answer.text}`, " "], ending: "hang" } : answer;
    };
    const [provider, writer] = await provide("anthropic", lost);
    const { submit, said, settled, startWorker, ledger } = house([modelPersona("writer", ["persona.send:*"])], {
      writer,
    });
    const id = await submit("writer", "Count");
    for (const [step, answer] of answers.entries()) {
      await provider.request(step * 2);
      // Who is dead says nothing more: this one must be done with it before the next takes over.
      await said(id, `half of ${(answer as { text: string }).text}`);
      startWorker(); // it takes over what any other worker holds, as the next process would
      await provider.request(step * 2 + 1);
    }
    const task = await settled(id);
    expect(task).toMatchObject({ state: "completed", attempt: 5 });
    expect(resultOf(task)).toBe("One.\n\nTwo.\n\nThree.\n\nDone.");
    expect(provider.requests).toHaveLength(8);
    expect(provider.requests.map(({ body }) => body.messages.length)).toEqual([1, 1, 3, 3, 5, 5, 7, 7]);

    const reader = emptyFold();
    for (const event of await ledger.events(id, 0)) applyEvent(reader, event);
    expect(reader.artifacts.map(textOf)).toEqual(["One.\n\nTwo.\n\nThree.\n\nDone."]);
  });

  it("D8 a provider that answers 503 twice and then well: the task completes in its third attempt", async () => {
    const [provider, writer] = await provide("openai", [{ status: 503 }, { status: 503 }, { text: "At last." }]);
    const { submit, settled } = house([modelPersona("writer")], { writer });
    const task = await settled(await submit("writer", "Work"));
    expect(task).toMatchObject({ state: "completed", attempt: 3 });
    expect(provider.requests).toHaveLength(3);
  });

  it("E12 a cancel stops the call of the provider before it answers", async () => {
    const [provider, writer] = await provide("anthropic", [{ text: ["So ", "far"], ending: "hang" }]);
    const { submit, cancel, ledger, errors } = house([modelPersona("writer")], { writer });
    const id = await submit("writer", "Work");
    const request = await provider.request(0);
    const { task } = await cancel(id);
    expect(task.state).toBe("canceled");
    await request.abandoned;
    expect(await ledger.task(id)).toMatchObject({ state: "canceled" });
    expect(errors).toEqual([]);
  });

  it("asks its caller in the middle of a run and goes on with the answer", async () => {
    const [provider, writer] = await provide("anthropic", [
      { text: "Hm.", tools: [{ name: "ask_caller", args: { question: "Which color?" } }] },
      { text: "Red it is." },
    ]);
    const { submit, settled, answer } = house([modelPersona("writer")], { writer });
    const id = await submit("writer", "Paint it");
    const asking = await settled(id);
    expect(asking).toMatchObject({ state: "waiting", waitingFor: "input" });
    expect(asking.statusMessage && textOf(asking.statusMessage)).toBe("Which color?");
    await answer(id, "red");
    const task = await settled(id);
    expect(resultOf(task)).toBe("Hm.\n\nRed it is.");
    expect(provider.requests).toHaveLength(2);
    expect(sawTools(provider.requests[1] as ReceivedRequest)).toContain("red");
  });

  it("sees its own earlier tasks of a context, and nothing of other contexts", async () => {
    const [provider, writer] = await provide("openai", [
      { text: "Hello Ada." },
      { text: "Hello Bob." },
      { text: "You are Ada." },
    ]);
    const { submit, settled } = house([modelPersona("writer")], { writer });
    await settled(await submit("writer", "I am Ada.", "context-a"));
    await settled(await submit("writer", "I am Bob.", "context-b"));
    await settled(await submit("writer", "Who am I?", "context-a"));
    expect(provider.requests[2]?.body.messages.slice(1)).toEqual([
      { role: "user", content: "I am Ada." },
      { role: "assistant", content: "Hello Ada." },
      { role: "user", content: "Who am I?" },
    ]);
  });

  it("E21 is shown what came of the tasks that a message refers to, and of nobody else's", async () => {
    const [provider, writer] = await provide("openai", [
      { text: "The color is teal." },
      { text: "A secret of Eve." },
      { text: "Told the editor." },
      { text: "Teal it is." },
    ]);
    const { submit, settled } = house([modelPersona("writer"), modelPersona("editor")], { writer, editor: writer });
    const mine = await submit("writer", "Choose a color.");
    await settled(mine);
    const hers = await submit("writer", "Hide this.", "hers", { principal: "user:eve" });
    await settled(hers);
    const editors = await submit("editor", "Tell me.");
    await settled(editors);
    const referenceTaskIds = [mine, hers, editors, newId(), mine];
    await settled(await submit("writer", "Use it.", "another", { referenceTaskIds }));
    expect(provider.requests[3]?.body.messages.slice(1)).toEqual([
      {
        role: "user",
        content: `Use it.\n\n[Referenced task ${mine}, completed]\nAsked: Choose a color.\nAnswered: The color is teal.`,
      },
    ]);
  });

  describe("D16 the tokens of a request", () => {
    const send = {
      name: "persona_send",
      args: { target_persona: "researcher", message: "Find it", await_reply: true },
    };
    const orchestrator = modelPersona("orchestrator", ["persona.send:*"]);

    it("are used up: no further answer is asked for, the run fails and says why, and is not tried again", async () => {
      const [provider, first] = await provide("anthropic", [
        { text: "I ask.", tools: [{ name: "persona_list", args: {} }], usage: { input: 90, output: 10 } },
        { text: "never asked for" },
      ]);
      const { submit, settled } = house([orchestrator], { orchestrator: first }, { maxTokensPerRoot: 100 });
      const task = await settled(await submit("orchestrator", "Work"));
      expect(task).toMatchObject({ state: "failed", attempt: 1 });
      expect(task.statusMessage && textOf(task.statusMessage)).toBe(
        "the request that this task belongs to has used 100 model tokens; the limit is 100 (a2a.maxTokensPerRoot)",
      );
      expect(provider.requests).toHaveLength(1);
    });

    it("are used up by what was delegated, too: whoever awaits it gets the failure, and may not go on", async () => {
      const [provider, first] = await provide("anthropic", [
        { text: "I ask.", tools: [send], usage: { input: 40, output: 10 } },
        { text: "never asked for" },
      ]);
      const [second, researcher] = await provide("openai", [
        { text: "I look.", tools: [{ name: "persona_list", args: {} }], usage: { input: 40, output: 10 } },
        { text: "never asked for" },
      ]);
      const { submit, settled, ledger } = house(
        [orchestrator, modelPersona("researcher", ["persona.send:*"])],
        { orchestrator: first, researcher },
        { maxTokensPerRoot: 100 },
      );
      const task = await settled(await submit("orchestrator", "Work"));
      const [child] = await ledger.children(task.id);
      expect(child).toMatchObject({ state: "failed", attempt: 1 });
      expect(task.statusMessage && textOf(task.statusMessage)).toContain("a2a.maxTokensPerRoot");
      expect([provider.requests.length, second.requests.length]).toEqual([1, 1]);
    });

    it("are used up by the very answer that delegates: nothing is delegated any more", async () => {
      const [provider, first] = await provide("anthropic", [
        { text: "I ask.", tools: [send], usage: { input: 90, output: 10 } },
      ]);
      const { submit, settled, ledger } = house(
        [orchestrator, modelPersona("researcher")],
        { orchestrator: first },
        { maxTokensPerRoot: 100 },
      );
      const task = await settled(await submit("orchestrator", "Work"));
      expect(task.state).toBe("failed");
      expect(await ledger.children(task.id)).toEqual([]);
      expect(provider.requests).toHaveLength(1);
    });

    it("are counted for each request alone", async () => {
      const answer = { text: "Done.", usage: { input: 90, output: 10 } };
      const [, writer] = await provide("anthropic", [answer, answer]);
      const { submit, settled } = house([modelPersona("writer")], { writer }, { maxTokensPerRoot: 100 });
      for (const text of ["one", "two"])
        expect(await settled(await submit("writer", text))).toMatchObject({ state: "completed" });
    });
  });
});
