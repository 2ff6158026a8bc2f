import { afterEach, describe, expect, it } from "vitest";
import { NOTHING_OUTSIDE } from "../../../test/support/nothing-outside.js";
import { DEFAULT_LIMITS, testPersona } from "../../../test/support/test-house.js";
import type { Persona, ScriptRule, ScriptStep } from "../../personas/persona.js";
import { PersonaRegistry } from "../../personas/registry.js";
import { systemClock } from "../../shared/clock.js";
import { newId } from "../../shared/ids.js";
import { sqlLedger } from "../../store/sql-ledger.js";
import { openSqlite } from "../../store/sqlite/open-sqlite.js";
import { bodyHash } from "../../tasks/body-hash.js";
import { TaskFollowers } from "../../tasks/follow.js";
import { ledgerTaskService } from "../../tasks/ledger-task-service.js";
import { type Message, textOf } from "../../tasks/message.js";
import type { TaskSnapshot } from "../../tasks/task.js";
import { Worker } from "../../tasks/worker.js";
import { hostTools, ToolCatalog } from "../../tools/catalog.js";
import type { DelegationLimits } from "../../tools/delegation-guard.js";
import { toolBoxFactory } from "../../tools/tool-box.js";
import { ScriptedRunner } from "./scripted-runner.js";

/** Scripted personas with their tools on the real ledger and worker, in this process. */
function startHouse(personas: readonly Persona[], changes: Partial<DelegationLimits & { slots: number }> = {}) {
  const limits = { ...DEFAULT_LIMITS, ...changes };
  const ledger = sqlLedger(openSqlite(":memory:"));
  const registry = new PersonaRegistry(personas);
  const clock = systemClock;
  const runner = new ScriptedRunner(({ tenant, persona }) => {
    const runtime = registry.get(tenant, persona)?.runtime;
    return runtime?.type === "scripted" ? runtime.rules : [];
  }, clock);
  const faults: unknown[] = [];
  const worker = new Worker({
    ledger,
    owner: newId(),
    clock,
    personas,
    runnerFor: () => runner,
    tools: toolBoxFactory(
      new ToolCatalog(hostTools({ ...NOTHING_OUTSIDE, ledger, personas: registry, limits, clock })),
      registry,
      {
        ...{ ledger, clock, expireAfterMs: 60_000 },
      },
    ),
    concurrency: changes.slots ?? 5,
    leaseMs: 30_000,
    backoffBaseMs: 1,
    backoffMaxMs: 2,
    alone: true,
    onError: (error) => faults.push(error),
  });
  const service = ledgerTaskService({ ledger, worker, clock, maxAttempts: limits.maxAttempts });
  const followers = new TaskFollowers(ledger);
  const tenant = ledger.forTenant("default");
  worker.start();

  const user = (text: string): Message => ({ messageId: newId(), role: "user", parts: [{ text }] });
  return {
    tenant,
    async submit(persona: string, text: string, contextId?: string): Promise<string> {
      const message = user(text);
      const submitted = await service.submit({
        tenant: "default",
        persona,
        principal: "user:alice",
        trigger: "api",
        message,
        bodyHash: bodyHash(message),
        ...(contextId === undefined ? {} : { contextId }),
      });
      return submitted.task.id;
    },
    async answer(taskId: string, text: string): Promise<void> {
      const message = user(text);
      await service.answer({
        tenant: "default",
        taskId,
        principal: "user:alice",
        message,
        bodyHash: bodyHash(message),
      });
    },
    /** The task when it has ended or asks. */
    async settled(taskId: string): Promise<TaskSnapshot> {
      const task = (await tenant.snapshot(taskId)) as TaskSnapshot;
      await followers.untilSettled(task, new AbortController().signal);
      return (await tenant.snapshot(taskId)) as TaskSnapshot;
    },
    async stop(): Promise<void> {
      await worker.drain(0);
      followers.close();
      await ledger.close();
      expect(faults).toEqual([]);
    },
  };
}

let house: ReturnType<typeof startHouse>;
afterEach(() => house.stop());

const scripted = (name: string, ...steps: ScriptStep[]): Persona => ruled(name, { steps });
const ruled = (name: string, ...rules: ScriptRule[]): Persona =>
  testPersona(name, { runtime: { type: "scripted", rules } });
const send = (to: string, rest: Partial<Extract<ScriptStep, { send: unknown }>["send"]> = {}): ScriptStep => ({
  send: { to, message: "{{input.text}}", await: true, as: "r", ...rest },
});
const resultOf = (task: TaskSnapshot): string => task.artifacts.map(textOf).join("|");

describe("delegation on the real ledger", () => {
  it("D2 D3 orchestrator, researcher awaited, then writer", async () => {
    house = startHouse([
      scripted(
        "orchestrator",
        { status: "researching" },
        send("researcher", { as: "facts" }),
        send("writer", { message: "write: {{results.facts}}", as: "text" }),
        { reply: "{{results.text}}" },
      ),
      scripted("researcher", { reply: "facts about {{input.text}}" }),
      ruled("writer"),
    ]);
    const task = await house.settled(await house.submit("orchestrator", "cats"));
    expect(task.state).toBe("completed");
    expect(resultOf(task)).toBe("write: facts about cats");
    expect(task.history.map(textOf)).toEqual(["cats", "researching"]);
    const children = await house.tenant.children(task.id);
    expect(children.map(({ persona, hop, contextId }) => ({ persona, hop, contextId }))).toEqual([
      { persona: "researcher", hop: 1, contextId: task.contextId },
      { persona: "writer", hop: 1, contextId: task.contextId },
    ]);
    expect(task.attempt).toBe(1);
  });

  it("D3 D5 the timeout story: a structured answer, and the result later", async () => {
    house = startHouse([
      scripted(
        "boss",
        send("slow", { timeoutMs: 30 }),
        { status: "{{results.r.status}}" },
        { tool: { name: "persona_task_status", with: { task_id: "{{results.r.task_id}}" }, as: "now" } },
        {
          tool: {
            name: "persona_task_status",
            with: { task_id: "{{results.r.task_id}}", wait_ms: 10_000 },
            as: "later",
          },
        },
        { reply: "{{results.now.status}}, then {{results.later.status}}: {{results.later}}" },
      ),
      scripted("slow", { sleep: 1500 }, { reply: "at last" }),
    ]);
    const task = await house.settled(await house.submit("boss", "go"));
    expect(resultOf(task)).toBe("processing, then completed: at last");
    expect(task.history.map(textOf)).toContain("timeout");
  });

  it("D5 a later run of the persona in the context sees the task; another context does not", async () => {
    const look: ScriptStep[] = [
      { tool: { name: "persona_task_status", with: { task_id: "{{input.text}}" }, as: "s" } },
      { reply: "{{results.s}}{{results.s.error}}" },
    ];
    house = startHouse([
      ruled(
        "boss",
        { when: { text: /^start/ }, steps: [send("echo", { await: false }), { reply: "{{results.r.task_id}}" }] },
        { steps: look },
      ),
      ruled("echo"),
    ]);
    const first = await house.settled(await house.submit("boss", "start"));
    await house.settled(resultOf(first));
    const same = await house.settled(await house.submit("boss", resultOf(first), first.contextId));
    expect(resultOf(same)).toBe("start");
    const other = await house.settled(await house.submit("boss", resultOf(first)));
    expect(resultOf(other)).toContain("was not found");
  });

  it("D12 a further delegation to a busy persona is refused with an error that names the limit, until one has finished", async () => {
    const wait: ScriptStep = {
      tool: { name: "persona_task_status", with: { task_id: "{{results.one.task_id}}", wait_ms: 60_000 } },
    };
    house = startHouse([
      scripted(
        "boss",
        send("asker", { await: false, as: "one" }),
        send("asker", { await: false, as: "two" }),
        wait,
        send("asker", { await: false, as: "three" }),
        { reply: "{{results.two.error}}|{{results.three.status}}" },
      ),
      ruled("asker", { when: { turn: 1 }, steps: [{ ask: "which?" }] }),
    ]);
    const id = await house.submit("boss", "go");
    const asking = await house.settled(id);
    expect(asking).toMatchObject({ state: "waiting", waitingFor: "input" });
    await house.answer(id, "this");
    const task = await house.settled(id);
    expect(resultOf(task)).toMatch(
      /^"asker" already has 1 .* the limit is 1 \(a2a\.maxConcurrentPerTarget\).*\|pending$/,
    );
    expect(await house.tenant.children(id)).toHaveLength(2);
  });

  it.each([1, 4])("D13 exactly %i delegations deep pass, and the deepest run is told the limit", async (maxHops) => {
    house = startHouse(
      [scripted("self", send("self"), { reply: "{{results.r}}{{results.r.error}}" })],
      // One after the other: each waits for the next.
      { maxHops, maxConcurrentPerTarget: 100 },
    );
    const task = await house.settled(await house.submit("self", "go"));
    expect(resultOf(task)).toContain(
      `this task is ${maxHops} delegations deep already; the limit is ${maxHops} (a2a.maxHops)`,
    );
    let deepest = task.id;
    for (let hop = 1; hop <= maxHops; hop++) deepest = (await house.tenant.children(deepest))[0]?.id ?? "";
    expect(await house.tenant.task(deepest)).toMatchObject({ hop: maxHops, state: "completed" });
    expect(await house.tenant.children(deepest)).toEqual([]);
  });

  it("D16 at most maxChildrenPerTask are delegated", async () => {
    house = startHouse(
      [
        scripted("boss", send("echo", { as: "a" }), send("echo", { as: "b" }), send("echo", { as: "c" }), {
          reply: "{{results.b}} {{results.c.error}}",
        }),
        ruled("echo"),
      ],
      { maxChildrenPerTask: 2 },
    );
    expect(resultOf(await house.settled(await house.submit("boss", "go")))).toMatch(
      /^go this task has already delegated 2 tasks; the limit is 2 \(a2a\.maxChildrenPerTask\)/,
    );
  });

  it("D17 with one slot in the whole house a chain of maxHops awaited delegations finishes", async () => {
    const link = (at: number) => scripted(`p${at}`, send(`p${at + 1}`), { reply: `{{results.r}} ${at}` });
    house = startHouse([link(0), link(1), link(2), link(3), ruled("p4")], { slots: 1 });
    expect(resultOf(await house.settled(await house.submit("p0", "end")))).toBe("end 3 2 1 0");
  });

  it("D18 a child's question is the parent's, and the answer goes to the child", async () => {
    house = startHouse([
      scripted("boss", send("asker"), { reply: "{{results.r}}" }),
      ruled(
        "asker",
        { when: { turn: 1 }, steps: [{ ask: "which year?" }] },
        { steps: [{ reply: "year {{input.text}}" }] },
      ),
    ]);
    const id = await house.submit("boss", "go");
    const asking = await house.settled(id);
    expect(asking).toMatchObject({ state: "waiting", waitingFor: "input" });
    expect(asking.statusMessage && textOf(asking.statusMessage)).toBe("which year?");
    await house.answer(id, "2024");
    expect(resultOf(await house.settled(id))).toBe("year 2024");
  });

  it("D3 a target that fails comes back with the reason", async () => {
    house = startHouse([
      scripted("boss", send("broken"), { reply: "{{results.r.status}}: {{results.r.error}}" }),
      scripted("broken", { fail: { text: "no disk", retryable: false } }),
    ]);
    expect(resultOf(await house.settled(await house.submit("boss", "go")))).toBe("failed: no disk");
  });

  it("D8 D14 retryable failures use up attempts, then the script goes on", async () => {
    house = startHouse([
      scripted(
        "flaky",
        { status: "trying" },
        { fail: { text: "not yet", retryable: true, attempts: 2 } },
        { reply: "attempt {{attempt}}" },
      ),
      scripted("hopeless", { fail: { text: "never", retryable: true } }),
    ]);
    const flaky = await house.settled(await house.submit("flaky", "go"));
    expect(resultOf(flaky)).toBe("attempt 3");
    expect(flaky.history.map(textOf).filter((text) => text === "trying")).toHaveLength(1);
    expect(await house.settled(await house.submit("hopeless", "go"))).toMatchObject({ state: "failed", attempt: 3 });
  });
});
