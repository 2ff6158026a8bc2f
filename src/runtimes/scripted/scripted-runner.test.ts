import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  DEFAULT_LIMITS,
  Died,
  type TestAttempt,
  TestHouse,
  type TestTask,
  testPersona,
} from "../../../test/support/test-house.js";
import type { ScriptRule, ScriptStep } from "../../personas/persona.js";
import { NuncioError } from "../../shared/errors.js";
import type { Approval, NewApproval } from "../../tasks/approval-ledger.js";
import type { Message } from "../../tasks/message.js";
import type { RunOutcome } from "../../tasks/runner.js";
import { ScriptedRunner } from "./scripted-runner.js";

const PERSONAS = [
  testPersona("boss"),
  testPersona("writer"),
  testPersona("lonely", { capabilities: { allow: [], requireApproval: [] } }),
];

/** A task of a persona with one rule of these steps, and what runs it. */
function scripted(steps: readonly ScriptStep[], text: string | Message = "go", persona = "boss") {
  const house = new TestHouse(PERSONAS, DEFAULT_LIMITS);
  const rules: ScriptRule[] = [{ when: { turn: 1 }, steps }];
  const runner = new ScriptedRunner(() => rules, house.clock);
  const task = house.task(persona, text);
  return { house, task, rules, run: (attempt: TestAttempt) => runner.run(attempt) };
}

/** Runs one attempt to its end. */
async function once(steps: readonly ScriptStep[], text?: string | Message, persona?: string) {
  const it = scripted(steps, text, persona);
  const attempt = it.task.attempt();
  const outcome = await it.run(attempt);
  attempt.settle(outcome);
  return { ...it, outcome };
}

const said = (text: string, at: number) => ({ messageId: `task-1:1.${at}`, role: "agent", parts: [{ text }] });
const chunk = (text: string, append: boolean, lastChunk: boolean) => ({
  type: "artifact",
  artifact: { artifactId: "result", name: "result", parts: [{ text }] },
  append,
  lastChunk,
});

describe("a scripted persona", () => {
  it("echoes the text where no rule matches, without a step in the journal", async () => {
    const { task, outcome } = await once([], {
      messageId: "m",
      role: "user",
      parts: [{ text: "a" }, { data: 1 }, { text: "b" }],
    });
    expect(outcome).toEqual({ type: "completed" });
    const { house } = scripted([]);
    const echo = house.task("boss", {
      messageId: "m",
      role: "user",
      parts: [{ text: "a" }, { data: 1 }, { text: "b" }],
    });
    const attempt = echo.attempt();
    attempt.settle(await new ScriptedRunner(() => [], house.clock).run(attempt));
    expect(echo.announced).toEqual([chunk("a\nb", false, true)]);
    expect(echo.steps).toEqual([]);
    expect(task.announced).toEqual([]);
  });

  it("echoes what else was sent where there is no text", async () => {
    const { house } = scripted([]);
    const task = house.task("boss", { messageId: "m", role: "user", parts: [{ data: { n: 1 } }] });
    const attempt = task.attempt();
    attempt.settle(await new ScriptedRunner(() => [], house.clock).run(attempt));
    expect(task.snapshot().artifacts[0]?.parts).toEqual([{ data: { n: 1 } }]);
  });

  it.each<[string, ScriptStep, RunOutcome]>([
    ["complete", { complete: "done {{turn}}" }, { type: "completed", message: said("done 1", 0) as Message }],
    ["message", { message: "hi" }, { type: "completed", message: said("hi", 0) as Message }],
    [
      "fail",
      { fail: { text: "no {{input.text}}", retryable: false } },
      { type: "failed", reason: "no go", retryable: false },
    ],
    ["fail, retryable", { fail: { text: "no", retryable: true } }, { type: "failed", reason: "no", retryable: true }],
    ["reject", { reject: "not me" }, { type: "rejected", reason: "not me" }],
    ["ask", { ask: "which?" }, { type: "asked", waitingFor: "input", message: said("which?", 0) as Message }],
    ["auth", { auth: "log in" }, { type: "asked", waitingFor: "auth", message: said("log in", 0) as Message }],
  ])("step %s", async (_name, step, expected) => {
    const { task, outcome } = await once([step, { status: "never" }]);
    expect(outcome).toEqual(expected);
    expect(task.announced).toEqual([]);
  });

  it("step reply: one whole artifact, then completed", async () => {
    const { task, outcome } = await once([{ reply: "Re: {{input.text}}" }]);
    expect(outcome).toEqual({ type: "completed" });
    expect(task.announced).toEqual([chunk("Re: go", false, true)]);
  });

  it("step reply after chunks is the last chunk", async () => {
    const { task } = await once([{ chunk: "a" }, { status: "…" }, { chunk: "b" }, { reply: "c" }]);
    expect(task.announced).toEqual([
      chunk("a", false, false),
      { type: "status", state: "processing", message: said("…", 1) },
      chunk("b", true, false),
      chunk("c", true, true),
    ]);
  });

  it.each<[string, ScriptStep[], boolean[]]>([
    ["nothing follows", [{ chunk: "a" }, { chunk: "b" }], [false, true]],
    ["a completion follows", [{ chunk: "a" }, { chunk: "b" }, { complete: "x" }, { chunk: "never" }], [false, true]],
    ["a question follows: the run goes on", [{ chunk: "a" }, { ask: "?" }], [false]],
    [
      "only the first attempts fail",
      [{ chunk: "a" }, { fail: { text: "x", retryable: true, attempts: 1 } }, { chunk: "b" }],
      [false],
    ],
  ])("the last chunk is marked when the run ends: %s", async (_name, steps, marks) => {
    const { task } = await once(steps);
    expect(task.announced.map((fact) => fact.type === "artifact" && fact.lastChunk)).toEqual(marks);
  });

  it("step artifact with every kind of part", async () => {
    const { task } = await once(
      [
        {
          artifact: {
            name: "bundle",
            parts: [
              { text: "{{input.text}}" },
              { data: "{{input.data}}" },
              { raw: "AAAA", mediaType: "image/png", filename: "x.png" },
              { url: "https://h/{{turn}}" },
            ],
          },
        },
      ],
      { messageId: "m", role: "user", parts: [{ text: "go" }, { data: [1] }] },
    );
    expect(task.snapshot().artifacts).toEqual([
      {
        artifactId: "bundle",
        name: "bundle",
        parts: [
          { text: "go" },
          { data: [1] },
          { raw: "AAAA", mediaType: "image/png", filename: "x.png" },
          { url: "https://h/1" },
        ],
      },
    ]);
  });

  it("a script that only says something and ends notes nothing", async () => {
    const { task, house } = await once([{ status: "…" }, { chunk: "a" }, { reply: "b" }]);
    expect(task.steps).toEqual([]);
    expect(house.commits).toBe(1);
  });

  it("X1 what was recorded without the outcome is not said again: the text of a reply, before a drained shutdown", async () => {
    const { task, run } = scripted([{ chunk: "a" }, { reply: "b" }]);
    const first = task.attempt();
    await run(first);
    // The record went before the outcome, which never came.
    first.commit();
    const second = task.attempt();
    second.settle(await run(second));
    expect(task.announced).toEqual([chunk("a", false, false), chunk("b", true, true)]);
  });

  it("an unknown template name is a clear failure of the run", async () => {
    const { outcome } = await once([{ reply: "{{results.facts}}" }]);
    expect(outcome).toEqual({
      type: "failed",
      reason: 'template {{results.facts}}: no step before it has "as: facts"',
      retryable: false,
    });
  });

  it("step fail with attempts: the first attempts fail, then the script goes on after it", async () => {
    const { task, run } = scripted([
      { status: "trying" },
      { fail: { text: "flaky", retryable: true, attempts: 2 } },
      { reply: "attempt {{attempt}}" },
    ]);
    for (const expected of ["failed", "failed", "completed"]) {
      const attempt = task.attempt();
      const outcome = await run(attempt);
      expect(outcome.type).toBe(expected);
      attempt.settle(outcome);
    }
    expect(task.announced).toEqual([
      { type: "status", state: "processing", message: said("trying", 0) },
      chunk("attempt 3", false, true),
    ]);
  });

  it.each([
    ["approved", { type: "completed" }],
    ["denied", { type: "failed", reason: "the operator has denied it: no money", retryable: false }],
    ["expired", { type: "failed", reason: "nobody approved it in time: no money", retryable: false }],
  ] as const)("step approve waits for the operator, and then, %s", async (decision, expected) => {
    const { house, task, run } = scripted([{ approve: "spend {{input.text}}?" }, { reply: "spent" }], "5");
    const first = task.attempt();
    const outcome = await run(first);
    first.settle(outcome);
    if (outcome.type !== "approval") throw new Error(`not asked: ${outcome.type}`);
    expect(outcome).toMatchObject({ requests: [{ arguments: { text: "spend 5?" } }], until: house.now + 60_000 });
    const request = outcome.requests[0] as NewApproval;
    const approval = { ...request, decision, reason: "no money" } as Approval;
    house.approvals.set([task.row.id, request.callId, request.digest].join("/"), approval);
    const second = task.attempt({ counts: false });
    expect(await run(second)).toEqual(expected);
    second.settle({ type: "completed" });
    expect(task.announced).toEqual(decision === "approved" ? [chunk("spent", false, true)] : []);
  });

  it("a second turn has its own rule and goes on with the result", async () => {
    const { task, run, rules } = scripted([{ chunk: "a" }, { ask: "which?" }]);
    rules.push({ when: { turn: 2 }, steps: [{ reply: "{{input.text}}" }] });
    const first = task.attempt();
    first.settle(await run(first));
    task.answer("b");
    const second = task.attempt({ counts: false });
    expect(await run(second)).toEqual({ type: "completed" });
    second.settle({ type: "completed" });
    expect(task.snapshot().artifacts[0]?.parts).toEqual([{ text: "ab" }]);
  });

  it("step hang stays until it is aborted", async () => {
    const { task, run } = scripted([{ status: "…" }, { hang: true }]);
    const attempt = task.attempt();
    const running = run(attempt);
    expect(await Promise.race([running, Promise.resolve("hangs")])).toBe("hangs");
    attempt.abort();
    await running;
  });

  it("step sleep is ended by an abort", async () => {
    const { task, run } = scripted([{ sleep: 3_600_000 }, { reply: "never" }]);
    const attempt = task.attempt();
    const running = run(attempt);
    attempt.abort();
    expect(await running).toMatchObject({ type: "failed" });
    expect(task.announced).toEqual([]);
  });

  it("step sleep goes on for the time that is left", async () => {
    const { task, house, run } = scripted([{ sleep: 3_600_000 }, { reply: "awake" }]);
    const first = task.attempt();
    const interrupted = run(first);
    first.abort();
    await interrupted;
    expect(task.steps).toMatchObject([{ kind: "sleep", data: { until: house.now + 3_600_000 } }]);
    house.now += 3_599_999;
    expect(await run(task.attempt())).toEqual({ type: "completed" });
  });
});

describe("a scripted persona that delegates", () => {
  const send = (waits: boolean, as?: string): ScriptStep => ({
    send: { to: "writer", message: "about {{input.text}}", await: waits, ...(as === undefined ? {} : { as }) },
  });

  it("D3 parks in one transaction, is woken and has the reply", async () => {
    const { task, house, run } = scripted([
      send(true, "facts"),
      { reply: "{{results.facts}} ({{results.facts.status}})" },
    ]);
    expect(await run(task.attempt())).toEqual({ type: "parked" });
    expect(house.commits).toBe(1);
    expect(house.child().messages[0]?.parts).toEqual([{ text: "about go" }]);
    house.child().complete("purr");
    const woken = task.attempt({ counts: false });
    woken.settle(await run(woken));
    expect(task.announced).toEqual([chunk("purr (completed)", false, true)]);
  });

  it("D3 waits again when it is woken too early, and goes on after the timeout", async () => {
    const step: ScriptStep = { send: { to: "writer", message: "x", await: true, timeoutMs: 200, as: "r" } };
    const { task, house, run } = scripted([step, { reply: "{{results.r.status}} {{results.r.task_id}}" }]);
    await run(task.attempt());
    const taskIds = [house.child().row.id];
    expect(await run(task.attempt())).toEqual({ type: "awaiting", taskIds, until: house.now + 200 });
    house.now += 200;
    const late = task.attempt();
    late.settle(await run(late));
    expect(task.announced).toEqual([chunk(`timeout ${taskIds[0]}`, false, true)]);
  });

  it("D2 without await it goes on at once", async () => {
    const { task, house } = await once([send(false, "r"), { reply: "[{{results.r}}] {{results.r.status}}" }]);
    expect(house.children).toHaveLength(1);
    expect(task.announced).toEqual([chunk("[] pending", false, true)]);
  });

  it("an error is a result", async () => {
    const steps: ScriptStep[] = [
      { tool: { name: "persona_send", with: { target_persona: "nobody", message: "x" }, as: "r" } },
      { reply: "{{results.r.error}}" },
    ];
    const { task } = await once(steps);
    expect(JSON.stringify(task.announced)).toContain('no persona \\"nobody\\" is loaded');
  });

  it("D6 a persona without the capability is refused", async () => {
    const { task, house } = await once([send(true, "r"), { reply: "{{results.r.error}}" }], "go", "lonely");
    expect(house.children).toEqual([]);
    expect(JSON.stringify(task.announced)).toContain("needs the capability persona.send:*");
  });

  it("D12 D13 a refusal that no `as` takes is said as a status", async () => {
    const it = scripted([send(true), { reply: "done" }]);
    it.house.refuseNext = new NuncioError("limit_reached", "writer is busy; the limit is 1");
    const attempt = it.task.attempt();
    attempt.settle(await it.run(attempt));
    expect(it.task.announced).toEqual([
      {
        type: "status",
        state: "processing",
        message: expect.objectContaining({ parts: [{ text: expect.stringContaining("writer is busy") }] }),
      },
      chunk("done", false, true),
    ]);
  });

  it("D5 step tool takes results of earlier steps as arguments", async () => {
    const { task, house, run } = scripted([
      send(false, "r"),
      { tool: { name: "persona_task_status", with: { task_id: "{{results.r.task_id}}", wait_ms: 100 }, as: "s" } },
      { reply: "{{results.s}}" },
    ]);
    const first = task.attempt();
    const outcome = await run(first);
    expect(outcome).toMatchObject({ type: "awaiting", taskIds: [house.child().row.id] });
    first.settle(outcome);
    house.child().complete("purr");
    const second = task.attempt({ counts: false });
    second.settle(await run(second));
    expect(task.announced).toEqual([chunk("purr", false, true)]);
  });
});

describe("a run that dies and is run again", () => {
  /** Attempts that die one after the other, each after a number of things that it did, and then ones that live. */
  async function throughCrashes(steps: readonly ScriptStep[], deaths: readonly number[]): Promise<TestTask> {
    const { task, house, run } = scripted(steps);
    for (let round = 0; round < deaths.length + 20; round++) {
      const diesAt = deaths[round];
      const attempt = task.attempt(diesAt === undefined ? {} : { diesAt });
      try {
        const outcome = await run(attempt);
        attempt.settle(outcome);
        if (outcome.type !== "parked" && outcome.type !== "awaiting") return task;
        for (const child of house.children) if (child.row.state === "pending") child.complete("re: x");
      } catch (error) {
        if (!(error instanceof Died)) throw error;
        house.now += 1_000;
      }
    }
    throw new Error("it did not end");
  }

  const STEPS: ScriptStep[] = [
    { status: "begin" },
    { chunk: "a" },
    { chunk: "x".repeat(3_000) },
    { sleep: 1 },
    { chunk: "b" },
    { send: { to: "writer", message: "first", await: true, as: "one" } },
    { status: "got {{results.one}}" },
    { send: { to: "writer", message: "second", await: false, as: "two" } },
    { artifact: { name: "data", parts: [{ data: { n: 1 } }] } },
    { tool: { name: "persona_list", with: {}, as: "list" } },
    { send: { to: "nobody", message: "third", await: true } },
    { reply: "{{results.one}} {{results.two.status}}" },
  ];

  it("X1 announces the same events, each once, whenever it died, and delegates once", async () => {
    const undisturbed = await throughCrashes(STEPS, []);
    expect(undisturbed.announced).toHaveLength(8);
    for (let diesAt = 0; diesAt < 40; diesAt++) {
      const task = await throughCrashes(STEPS, [diesAt]);
      expect(task.announced, `died after ${diesAt}`).toEqual(undisturbed.announced);
      expect(task.house.children.map((child) => child.messages[0]?.parts)).toEqual([
        [{ text: "first" }],
        [{ text: "second" }],
      ]);
    }
  });

  it("X1 the same for any script and any series of deaths", async () => {
    const step = fc.oneof<fc.Arbitrary<ScriptStep>[]>(
      fc.string({ minLength: 1, maxLength: 5 }).map((status) => ({ status: status.replaceAll("{", "(") })),
      fc.constantFrom("a", "b", "c".repeat(900), "d".repeat(2_500)).map((text) => ({ chunk: text })),
      fc.constant<ScriptStep>({ artifact: { name: "extra", parts: [{ text: "t" }] } }),
      fc.boolean().map((awaited): ScriptStep => ({ send: { to: "writer", message: "x", await: awaited } })),
      fc.constant<ScriptStep>({ tool: { name: "persona_list", with: {} } }),
      fc.constant<ScriptStep>({ sleep: 0 }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 8 }),
        fc.constantFrom<ScriptStep[]>([], [{ reply: "end" }], [{ complete: "end" }]),
        fc.array(fc.nat(20), { maxLength: 3 }),
        async (steps, ending, deaths) => {
          const script = [...steps, ...ending];
          const undisturbed = await throughCrashes(script, []);
          const task = await throughCrashes(script, deaths);
          expect(task.announced).toEqual(undisturbed.announced);
          expect(task.house.children).toHaveLength(undisturbed.house.children.length);
        },
      ),
      { numRuns: 150 },
    );
  });
});
