import { describe, expect, it } from "vitest";
import { FakeAgent, type FakeAnswer, type FakeRequest, fakeMessage, fakeTask } from "../../test/support/fake-agent.js";
import { TestHouse, testPersona } from "../../test/support/test-house.js";
import { DELEGATION_EXTENSION } from "../a2a/protocol/delegation-extension.js";
import { RateLimit } from "../access/limits/rate-limit.js";
import type { AgentPolicy } from "../access/policy/agent-policy.js";
import { unreachable } from "../outbound/errors.js";
import type { Persona } from "../personas/persona.js";
import { NuncioError } from "../shared/errors.js";
import type { TaskChange, TaskLedger } from "../tasks/ledger.js";
import type { ToolOutcome } from "../tasks/runner.js";
import type { CallHouse } from "./a2a-call/call-house.js";
import { OutstandingCalls } from "./a2a-call/outstanding-calls.js";
import { a2aCall } from "./a2a-call.js";
import { ToolCatalog } from "./catalog.js";

const AGENT = "https://agents.example.com/research";
const POLICY: AgentPolicy = {
  mode: "enforce",
  tools: ["a2a_call"],
  a2aTargets: ["https://agents.example.com/*"],
  egressHosts: ["agents.example.com"],
};

/** A persona that may call the agent, and its task. */
function world(answer: FakeAgent["answer"], { card, house, persona, hop }: World = {}) {
  const agent = new FakeAgent(AGENT, answer, card);
  const test = new TestHouse([testPersona("boss", { policy: POLICY, ...persona })]);
  const changes: ((change: TaskChange) => void)[] = [];
  const ledger = {
    ...test.ledger,
    onChange: (listener: (change: TaskChange) => void) => {
      changes.push(listener);
      return () => {};
    },
  } as unknown as TaskLedger;
  const calls: CallHouse = {
    outbound: agent.outbound,
    credentials: { find: () => null },
    development: false,
    limits: { maxHops: 4, maxChildrenPerTask: 20, maxCallsPerMinute: 60 },
    rate: new RateLimit(),
    outstanding: new OutstandingCalls(ledger),
    clock: test.clock,
    inlineMs: 300,
    onTrouble: () => {},
    ...house,
  };
  Object.assign(test, { catalog: new ToolCatalog([a2aCall(calls)]) });
  const task = test.task("boss", "go", { hop: hop ?? 0 });
  const call = (args: object = {}, callId = "c1", attempt = task.attempt({ counts: false })) =>
    attempt.tools.call("a2a_call", { agentUrl: AGENT, message: "find it", ...args }, callId);
  const change = (state: "canceled" | "completed") => {
    for (const tell of changes) tell({ taskId: task.row.id, state } as TaskChange);
  };
  return { agent, test, task, call, change };
}

interface World {
  card?: object;
  house?: Partial<CallHouse>;
  persona?: Partial<Persona>;
  hop?: number;
}

const valueIn = (outcome: ToolOutcome) =>
  outcome.type === "result" ? (outcome.value as Record<string, unknown>) : outcome;
const completes = (text: string) => () => ({ task: fakeTask("COMPLETED", text) });

describe("a2a_call", () => {
  it("E16 sends once and returns the reply with the ids, labeled and fenced", async () => {
    const { agent, call } = world(completes("12 km"));
    const outcome = await call();
    expect(outcome).toMatchObject({
      isError: false,
      value: { status: "completed", reply: "12 km", task_id: "0a1b", context_id: "0c2d" },
    });
    const [ours, head, reply] = outcome.type === "result" ? outcome.text.split("\n") : [];
    expect(JSON.parse(ours ?? "")).toEqual({ status: "completed", task_id: "0a1b", context_id: "0c2d" });
    expect(head).toMatch(
      /^--- data [0-9a-f]{32}: reply, said by the agent at https:\/\/agents\.example\.com\/research \(untrusted\) ---$/,
    );
    expect(reply).toBe("12 km");
    expect(agent.asked).toEqual(["SendMessage"]);
  });

  it("E17 a reply of more than 16 KiB is cut between two characters, and says so", async () => {
    const { call } = world(completes(`a${"\u00e9".repeat(9000)}`));
    expect(valueIn(await call())).toMatchObject({
      reply: `a${"\u00e9".repeat(8191)}`,
      cut: "the first 16383 of 18001 bytes",
    });
  });

  it("D13 carries one hop more than its task has, and refuses to call beyond maxHops", async () => {
    const { agent, call } = world(completes("ok"), { hop: 3 });
    await call();
    const { message } = (agent.requests[1]?.rpc?.params ?? {}) as { message?: object };
    expect(message).toMatchObject({
      metadata: { [DELEGATION_EXTENSION]: { hop: 4 } },
      extensions: [DELEGATION_EXTENSION],
    });
    const deep = world(completes("ok"), { hop: 4 });
    expect(await deep.call()).toMatchObject({ isError: true, value: { reason: "maxHops" } });
    expect(deep.agent.requests).toEqual([]);
  });

  it.each<[string, string, FakeAnswer, object]>([
    ["a bare message", "SendMessage", { message: fakeMessage("just so") }, { status: "completed", reply: "just so" }],
    [
      "a question",
      "SendMessage",
      { task: fakeTask("INPUT_REQUIRED", "which?") },
      { status: "input_required", asks: "which?" },
    ],
    [
      "a need of credentials",
      "SendMessage",
      { task: fakeTask("AUTH_REQUIRED", "who?") },
      { status: "auth_required", asks: "who?" },
    ],
    ["a failure", "SendMessage", { task: fakeTask("FAILED", "no") }, { status: "failed", error: "no" }],
    ["a refusal", "SendMessage", { task: fakeTask("REJECTED", "no") }, { status: "rejected", error: "no" }],
    [
      "an error that refuses",
      "SendMessage",
      rpcError(-32602, "bad"),
      { status: "refused", error: 'the agent refused: "bad"' },
    ],
    ["no way", "SendMessage", unreachable("agents.example.com"), { status: "refused", reason: "OUTBOUND_UNREACHABLE" }],
    [
      "a failure of its own",
      "SendMessage",
      new Response("", { status: 502 }),
      { status: "unknown", reason: "AGENT_FAILED" },
    ],
    ["nonsense", "SendMessage", new Response("<html>"), { status: "unknown", reason: "AGENT_ANSWER_INVALID" }],
  ])("E16 says what came of it: %s", async (_what, _method, answer, value) => {
    const { agent, call } = world(() => answer);
    expect(valueIn(await call())).toMatchObject(value);
    expect(agent.asked).toEqual(["SendMessage"]);
  });

  it("E16 a follow-up goes to the task that asked", async () => {
    const { agent, call } = world(({ rpc }) =>
      rpc?.method === "GetTask" ? fakeTask("COMPLETED", "that one") : { task: fakeTask("INPUT_REQUIRED", "which?") },
    );
    expect(valueIn(await call({}, "c1"))).toMatchObject({ status: "input_required", task_id: "0a1b" });
    expect(valueIn(await call({ message: "this", task_id: "0a1b" }, "c2"))).toMatchObject({
      status: "completed",
      reply: "that one",
    });
    expect(agent.requests[3]?.rpc?.params).toMatchObject({ message: { taskId: "0a1b" } });
  });

  it("E16 a task that the agent has begun for somebody else, or another agent, is neither read, answered nor canceled", async () => {
    const { agent, test, call, change } = world(() => ({ task: fakeTask("INPUT_REQUIRED", "which?") }));
    await call({}, "c1");
    const { length } = agent.requests;
    const others = test.task("boss", "go").attempt();
    for (const outcome of [
      await call({ task_id: "0a1b" }, "c1", others),
      await call({ task_id: "0a1c" }, "c2"),
      await call({ task_id: "0a1b", agentUrl: `${AGENT}/other` }, "c3"),
    ]) {
      expect(outcome).toMatchObject({ isError: true, value: { reason: "OTHER_TASK", field: "task_id" } });
    }
    change("canceled");
    expect(agent.requests).toHaveLength(length);
  });

  it("E19 R7 what was shown to the agent comes back in nothing that it says, however it is spelled", async () => {
    const secret = 'a "key" of \\ ours';
    const shown = { headers: { "x-key": secret }, secrets: [secret] };
    const find = () => ({ covers: () => true, show: async () => shown, refused: () => {} }) as never;
    const inUrl = (url: string) => ({
      supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
    });
    const echoes: [FakeAnswer, object?][] = [
      [{ task: fakeTask("COMPLETED", secret) }],
      [{ task: fakeTask("COMPLETED", JSON.stringify({ secret })) }],
      [rpcError(-32602, `no such key: ${secret}`)],
      [{}, inUrl(`https://evil.example/${encodeURIComponent(secret)}`)],
    ];
    for (const [answer, card] of echoes) {
      const outcome = await world(() => answer, {
        house: { credentials: { find } },
        ...(card !== undefined && { card }),
      }).call();
      expect(outcome).toMatchObject({ type: "result", text: expect.stringContaining("[…]") });
      expect(JSON.stringify(outcome)).not.toMatch(/of .{1,9}ours/);
    }
  });
});

describe("the policy of a call", () => {
  it.each<[string, AgentPolicy | undefined]>([
    ["none", undefined],
    ["one that is not enforced", { ...POLICY, mode: "audit" }],
    ["one without the tool", { ...POLICY, tools: [] }],
    ["one without an https:// target", { ...POLICY, a2aTargets: ["http://agents.example.com/*"] }],
  ])("E16 with %s the tool is absent, and refused if called anyway", async (_what, policy) => {
    const { agent, task, call } = world(completes("ok"), { persona: { policy } });
    expect(task.attempt().tools.descriptors).toEqual([]);
    expect(await call()).toMatchObject({ isError: true, value: { reason: "TOOL_REFUSED" } });
    expect(agent.requests).toEqual([]);
  });

  it.each([
    "https://evil.example/x",
    "http://agents.example.com/research",
    "https://agents.example.com@evil.example/",
    "file:///etc/passwd",
    "nonsense",
  ])("E16 a URL that the policy does not let through is not opened: %s", async (agentUrl) => {
    const { agent, call } = world(completes("ok"));
    expect(await call({ agentUrl })).toMatchObject({
      isError: true,
      value: { reason: "CALL_DENIED", field: "agentUrl" },
    });
    expect(agent.requests).toEqual([]);
  });

  const elsewhere = { url: "https://evil.example/rpc", protocolBinding: "JSONRPC", protocolVersion: "1.0" };
  const here = { ...elsewhere, url: AGENT };
  it.each<[string, object]>([
    ["its interface", { supportedInterfaces: [elsewhere] }],
    ["one of its interfaces", { supportedInterfaces: [here, { ...elsewhere, protocolBinding: "HTTP+JSON" }] }],
    [
      "an interface on another port",
      { supportedInterfaces: [{ ...here, url: "https://agents.example.com:8443/research" }] },
    ],
    ["an interface in plain http", { supportedInterfaces: [{ ...here, url: "http://agents.example.com/research" }] }],
    ["its own url (0.3)", { supportedInterfaces: undefined, url: elsewhere.url, protocolVersion: "0.3.0" }],
    ["its own url beside one of 1.0", { url: elsewhere.url, protocolVersion: "0.3.0" }],
    [
      "another one of 0.3",
      {
        supportedInterfaces: undefined,
        url: AGENT,
        protocolVersion: "0.3.0",
        additionalInterfaces: [{ url: elsewhere.url, transport: "JSONRPC" }],
      },
    ],
  ])("E16 a card cannot lead the call elsewhere: %s", async (_what, card) => {
    const { agent, call } = world(completes("ok"), { card });
    expect(await call()).toMatchObject({ isError: true, value: { status: "refused", reason: "AGENT_CARD_DENIED" } });
    expect(agent.asked).toEqual([]);
  });

  it("E16 an interface of 1.0 that cannot be spoken to is no reason to fall back where a spoken one of 1.0 is there", async () => {
    const v03 = { url: AGENT, protocolVersion: "0.3.0" };
    const both = world(completes("ok"), { card: v03 });
    expect(valueIn(await both.call())).toMatchObject({ reply: "ok" });
    expect(both.agent.asked).toEqual(["SendMessage"]);
    // That the one of 1.0 fails is not answered by one of 0.3.
    const failing = world(() => new Response("", { status: 500 }), { card: v03 });
    expect(valueIn(await failing.call())).toMatchObject({ status: "unknown" });
    expect(failing.agent.asked).toEqual(["SendMessage"]);
    const old = world(
      () => ({ kind: "message", messageId: "m", role: "agent", parts: [{ kind: "text", text: "old" }] }),
      {
        card: { ...v03, supportedInterfaces: undefined },
      },
    );
    expect(valueIn(await old.call())).toMatchObject({ status: "completed", reply: "old" });
    expect(old.agent.asked).toEqual(["message/send"]);
  });
});

describe("a call that is cut off", () => {
  it("P10 a message whose fate is not known is never sent again, whatever asks", async () => {
    const { agent, task, call } = world(() => new Error("the process dies here"));
    const dying = task.attempt();
    await call({}, "c1", dying);
    // Its result was never recorded; that it was about to be sent is durable.
    expect(task.steps.map(({ kind }) => kind)).toEqual(["tool_call", "a2a_call.sending"]);
    for (let again = 0; again < 3; again++) {
      expect(await call()).toMatchObject({ isError: true, value: { status: "unknown", reason: "OUTCOME_UNKNOWN" } });
    }
    expect(agent.asked).toEqual(["SendMessage"]);
  });

  it("P10 dies at every step of its record: at most one message goes out, and a known task is looked at", async () => {
    for (let diesAt = 0; diesAt < 12; diesAt++) {
      const { agent, task, call } = world(({ rpc }) =>
        rpc?.method === "GetTask" ? fakeTask("COMPLETED", "done") : { task: fakeTask("COMPLETED", "done") },
      );
      await call({}, "c1", task.attempt({ diesAt })).catch(() => {});
      const accepted = task.steps.some(({ kind }) => kind === "a2a_call.accepted");
      const outcome = valueIn(await call());
      const sent = agent.asked.filter((method) => method === "SendMessage").length;
      expect(sent, `dead at ${diesAt}`).toBeLessThanOrEqual(1);
      if (accepted || sent === 1) expect(["completed", "unknown"]).toContain((outcome as { status: string }).status);
      if (accepted) expect(outcome).toMatchObject({ status: "completed", reply: "done" });
    }
  });

  it("E16 an id of the message hangs on the call alone", async () => {
    const { agent, call } = world(completes("ok"));
    await call({}, "c1");
    await call({}, "c2");
    const ids = agent.requests.flatMap(({ rpc }) =>
      rpc === undefined ? [] : [(rpc.params.message as { messageId: string }).messageId],
    );
    expect(new Set(ids).size).toBe(2);
  });
});

describe("a long task of an agent", () => {
  const working = { task: fakeTask("WORKING") };

  it("E16 is parked without a task to wait for, looked at by its id alone, and its reply comes in a later attempt", async () => {
    let looked: FakeAnswer = fakeTask("WORKING");
    const { agent, test, task, call } = world(({ rpc }) => (rpc?.method === "GetTask" ? looked : working));
    const first = await call({ timeout_ms: 60_000 });
    expect(first).toMatchObject({ type: "wait", taskIds: [], until: test.now + 1000 });
    const { length } = agent.requests;
    test.now += 10_000;
    expect(await call({ timeout_ms: 60_000 })).toMatchObject({ type: "wait", until: test.now + 5000 });
    looked = unreachable("agents.example.com");
    expect(await call({ timeout_ms: 60_000 })).toMatchObject({ type: "wait" });
    looked = fakeTask("COMPLETED", "at last");
    expect(valueIn(await call({ timeout_ms: 60_000 }))).toMatchObject({ status: "completed", reply: "at last" });
    expect(agent.requests.slice(length).map(({ rpc }) => rpc?.method)).toEqual(["GetTask", "GetTask", "GetTask"]);
    expect(task.steps.filter(({ kind }) => kind === "a2a_call.sending")).toHaveLength(1);
  });

  it("E16 ends with timeout and the id when the time is up, and with what the agent says when it has lost it", async () => {
    let looked: FakeAnswer = fakeTask("WORKING");
    const { test, call } = world(({ rpc }) => (rpc?.method === "GetTask" ? looked : working));
    expect(await call({ timeout_ms: 2000 }, "c1")).toMatchObject({ type: "wait", until: test.now + 1000 });
    expect(await call({ timeout_ms: 2000 }, "c2")).toMatchObject({ type: "wait" });
    looked = rpcError(-32001, "no such task");
    expect(valueIn(await call({ timeout_ms: 2000 }, "c2"))).toMatchObject({
      status: "unknown",
      task_id: "0a1b",
      reason: "AGENT_REFUSED",
    });
    looked = fakeTask("WORKING");
    test.now += 2000;
    expect(valueIn(await call({ timeout_ms: 2000 }, "c1"))).toEqual({
      status: "timeout",
      message: "no reply within 2000 ms; the agent may go on with its task",
      task_id: "0a1b",
      context_id: "0c2d",
    });
  });

  it("E16 stays with the agent that it was sent to, though the call names another one by now", async () => {
    const { agent, call } = world(({ rpc }) => (rpc?.method === "GetTask" ? fakeTask("COMPLETED", "x") : working));
    await call();
    const outcome = await call({ agentUrl: `${AGENT}/other` });
    expect(outcome).toMatchObject({
      value: { status: "completed", reply: "x" },
      text: expect.stringContaining(`said by the agent at ${AGENT} (untrusted)`),
    });
    expect(agent.asked.filter((method) => method === "SendMessage")).toHaveLength(1);
  });

  it("E16 whose policy is taken away is not even looked at any more", async () => {
    const { agent, test, task, call } = world(({ rpc }) =>
      rpc?.method === "GetTask" ? fakeTask("COMPLETED", "x") : working,
    );
    await call();
    test.personas.replace([
      testPersona("boss", { policy: { ...POLICY, a2aTargets: ["https://agents.example.com/other/*"] } }),
    ]);
    const { length } = agent.requests;
    expect(valueIn(await call({}, "c1", task.attempt()))).toMatchObject({ status: "unknown", reason: "CALL_DENIED" });
    expect(agent.requests).toHaveLength(length);
  });

  it("D19 is asked to stop when our task is canceled, running or parked, and only then", async () => {
    for (const state of ["canceled", "completed"] as const) {
      let canceled: (request: FakeRequest) => void = () => {};
      const cancel = new Promise<FakeRequest>((resolve) => {
        canceled = resolve;
      });
      const { agent, call, change } = world((request) => {
        if (request.rpc?.method === "CancelTask") canceled(request);
        return request.rpc?.method === "SendMessage" ? working : fakeTask("WORKING");
      });
      await call();
      change(state);
      if (state === "canceled") expect((await cancel).rpc?.params).toEqual({ id: "0a1b" });
      else expect(agent.asked).not.toContain("CancelTask");
    }
  });

  it("E16 of an agent that streams is followed for a while, and then looked at", async () => {
    const opened: { abandoned: boolean } = { abandoned: false };
    const { agent, call } = world(
      ({ rpc }) => {
        if (rpc?.method !== "SendStreamingMessage") return fakeTask("COMPLETED", "in the end");
        const event = `data: ${JSON.stringify({ jsonrpc: "2.0", id: rpc.id, result: working })}\n\n`;
        const body = new ReadableStream({
          start: (stream) => stream.enqueue(new TextEncoder().encode(event)),
          cancel: () => {
            opened.abandoned = true;
          },
        });
        return new Response(body, { headers: { "content-type": "text/event-stream" } });
      },
      { card: { capabilities: { streaming: true } } },
    );
    expect(await call()).toMatchObject({ type: "wait", taskIds: [] });
    expect(opened.abandoned).toBe(true);
    expect(valueIn(await call())).toMatchObject({ status: "completed", reply: "in the end" });
    expect(agent.asked).toEqual(["SendStreamingMessage", "GetTask"]);
  });

  it("D19 is asked to stop when our run was told so while it waited", async () => {
    let canceled: (request: FakeRequest) => void = () => {};
    const cancel = new Promise<FakeRequest>((resolve) => {
      canceled = resolve;
    });
    const { task, call } = world((request) => {
      if (request.rpc?.method === "CancelTask") canceled(request);
      // Canceled before anybody here could hear of it.
      task.row.state = "canceled";
      attempt.abort();
      return request.rpc?.method === "SendMessage" ? working : fakeTask("WORKING");
    });
    const attempt = task.attempt();
    await expect(call({}, "c1", attempt)).rejects.toThrow();
    if (task.steps.some(({ kind }) => kind === "a2a_call.accepted"))
      expect((await cancel).rpc?.params).toEqual({ id: "0a1b" });
  });

  it("E16 another task than the one that is looked at is not taken for it", async () => {
    const { call } = world(({ rpc }) =>
      rpc?.method === "GetTask" ? fakeTask("COMPLETED", "x", { id: "ffff" }) : working,
    );
    expect(valueIn(await call())).toMatchObject({ status: "unknown", task_id: "0a1b", reason: "OTHER_TASK" });
  });
});

describe("how often agents are called", () => {
  it("D13 a task has as many calls as it may have delegations", async () => {
    const { agent, task, call } = world(completes("ok"), {
      house: { limits: { maxHops: 4, maxChildrenPerTask: 2, maxCallsPerMinute: 60 } },
    });
    const attempt = task.attempt();
    await call({}, "c1", attempt);
    await call({}, "c2", attempt);
    expect(await call({}, "c3", attempt)).toMatchObject({ isError: true, value: { reason: "maxChildrenPerTask" } });
    expect(agent.asked).toHaveLength(2);
  });

  it("D13 a persona makes so many calls in a minute, over all its tasks", async () => {
    const { agent, test, call } = world(completes("ok"), {
      house: { limits: { maxHops: 4, maxChildrenPerTask: 20, maxCallsPerMinute: 1 } },
    });
    await call({}, "c1");
    const other = test.task("boss", "go").attempt();
    expect(await call({}, "c1", other)).toMatchObject({ isError: true, value: { reason: "maxCallsPerMinute" } });
    test.now += 61_000;
    expect(valueIn(await call({}, "c2", other))).toMatchObject({ reply: "ok" });
    expect(agent.asked).toHaveLength(2);
  });
});

function rpcError(code: number, message: string): Response {
  // The client checks the id only where there is a result.
  return Response.json({ jsonrpc: "2.0", id: null, error: { code, message } });
}

// Kept here so that a change of the class is seen: trouble of ours is no result.
it("trouble with the record itself ends the attempt", async () => {
  const { task, call } = world(completes("ok"));
  const attempt = task.attempt();
  attempt.journal.record = async () => {
    throw new NuncioError("lease_lost", "somebody else has it");
  };
  await expect(call({}, "c1", attempt)).rejects.toThrow("somebody else has it");
});
