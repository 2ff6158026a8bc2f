import { expect, it } from "vitest";
import type { TaskEventJson } from "../../src/http/control/schema/task-event.js";
import { Puppet } from "../support/daemon/puppet.js";
import { startDaemon } from "../support/daemon/start-daemon.js";
import { resultOf, untilLine, untilSaid, untilSettled } from "../support/daemon/watch.js";

/** A persona that follows these steps, and may delegate to anybody. */
const caller = (name: string, ...script: object[]) => ({
  name,
  runtime: "scripted",
  maxConcurrent: 8,
  capabilities: { allow: ["persona.send:*"] },
  script,
});
const target = { name: "target", model: "puppet", provider: "puppet", maxConcurrent: 1 };

const status = (taskId: string, as: string, wait_ms = 0) => ({
  tool: { name: "persona_task_status", with: { task_id: taskId, wait_ms }, as },
});

const isWait = (event: TaskEventJson): boolean => event.type === "status" && event.waitingFor === "reply";

it("D3 D5 a reply that takes longer than timeout_ms gives a structured answer, and persona_task_status waits for the rest", async () => {
  const puppet = await Puppet.start();
  const { client } = await startDaemon({
    providers: { puppet: puppet.provider },
    personas: [
      caller("caller", {
        steps: [
          { send: { to: "target", message: "slow work", await: true, timeoutMs: 200, as: "first" } },
          { status: "{{results.first.status}} of {{results.first.task_id}}: {{results.first.message}}" },
          status("{{results.first.task_id}}", "second", 60_000),
          { reply: "{{results.second.status}}: {{results.second}}" },
        ],
      }),
      target,
    ],
  });
  const { id } = await client.send({ persona: "caller", text: "go" });
  const asked = await puppet.asked();
  const child = (await client.task(id)).children[0]?.id;
  await untilSaid(
    client,
    id,
    `timeout of ${child}: no reply within 200 ms; the task goes on: get its result with persona_task_status`,
  );
  // The caller waits a second time, and holds no slot while it does.
  let waits = 0;
  await untilLine(client, id, (line) => line.type === "event" && isWait(line.event) && ++waits === 2);
  expect(await client.status()).toMatchObject({ slots: { used: 1 }, tasks: { waiting: 1, processing: 1 } });
  asked.answer({ text: "slow result" });

  const done = await untilSettled(client, id);
  expect([done.state, resultOf(done), done.attempt]).toEqual(["completed", "completed: slow result", 1]);
  expect(done.children).toMatchObject([{ id: child, state: "completed", attempt: 1 }]);
});

it("D5 persona_task_status gives what there is when wait_ms is over, and knows only what its persona delegated in its context", async () => {
  const puppet = await Puppet.start();
  const peek = {
    steps: [status("{{input.text}}", "seen", 100), { reply: "{{results.seen.status}}{{results.seen.error}}" }],
  };
  const { client } = await startDaemon({
    providers: { puppet: puppet.provider },
    personas: [
      caller(
        "caller",
        {
          when: { text: "^begin" },
          steps: [{ send: { to: "target", message: "work", as: "sent" } }, { reply: "{{results.sent.task_id}}" }],
        },
        peek,
      ),
      caller("stranger", peek),
      target,
    ],
  });
  const ask = async (persona: string, text: string, contextId?: string) =>
    untilSettled(client, (await client.send({ persona, text, contextId })).id);

  const begun = await ask("caller", "begin");
  const child = resultOf(begun);
  await puppet.asked();
  expect(resultOf(await ask("caller", child, begun.contextId))).toBe("processing");
  const unknown = (id: string) => `task ${JSON.stringify(id)} was not found; only tasks that you delegated`;
  for (const [persona, contextId] of [
    ["caller", undefined],
    ["stranger", begun.contextId],
  ] as const) {
    expect(resultOf(await ask(persona, child, contextId)), `${persona} in ${contextId}`).toContain(unknown(child));
  }
  // A task that nobody delegated is as absent as one that does not exist.
  expect(resultOf(await ask("caller", begun.id, begun.contextId))).toContain(unknown(begun.id));
  expect(resultOf(await ask("caller", "nothing", begun.contextId))).toContain(unknown("nothing"));
});

it("D2 D19 without await_reply the caller goes on at once, and its child outlives it whether it completes or fails", async () => {
  const puppet = await Puppet.start();
  const post = { send: { to: "target", message: "{{input.text}}", as: "sent" } };
  const daemon = await startDaemon({
    a2a: { maxConcurrentPerTarget: 2 },
    providers: { puppet: puppet.provider },
    personas: [
      caller(
        "caller",
        { when: { text: "^fail" }, steps: [post, { fail: "{{results.sent.status}}" }] },
        { steps: [post, { reply: "{{results.sent.status}} {{results.sent.task_id}}" }] },
      ),
      { ...target, maxConcurrent: 2 },
    ],
  });
  const { client } = daemon;
  const completed = await untilSettled(client, (await client.send({ persona: "caller", text: "complete" })).id);
  const failed = await untilSettled(client, (await client.send({ persona: "caller", text: "fail" })).id);
  expect([completed.state, resultOf(completed)]).toEqual(["completed", `pending ${completed.children[0]?.id}`]);
  expect([failed.state, failed.statusMessage?.parts[0]?.text]).toEqual(["failed", "pending"]);

  await puppet.asked();
  await puppet.asked();
  await daemon.kill("SIGKILL");
  await daemon.restart();
  for (const _ of ["one", "two"]) {
    const asked = await puppet.asked();
    asked.answer({ text: `did ${asked.text}` });
  }
  for (const [parent, result] of [
    [completed, "did complete"],
    [failed, "did fail"],
  ] as const) {
    const child = await untilSettled(client, parent.children[0]?.id ?? "");
    expect([child.state, child.parentId, resultOf(child)]).toEqual(["completed", parent.id, result]);
    expect((await client.task(parent.id)).state).toBe(parent.state);
  }
});

it("D7 the tools see pending, processing and completed, and see them again after a restart", async () => {
  const puppet = await Puppet.start();
  const daemon = await startDaemon({
    providers: { puppet: puppet.provider },
    personas: [
      caller(
        "caller",
        {
          when: { text: "^begin" },
          steps: [{ send: { to: "target", message: "work", as: "sent" } }, { reply: "{{results.sent.task_id}}" }],
        },
        { steps: [status("{{input.text}}", "seen"), { reply: "{{results.seen.status}}" }] },
      ),
      target,
    ],
  });
  const { client } = daemon;
  // Somebody else has the only slot of the target.
  await client.send({ persona: "target", text: "from outside" });
  const outside = await puppet.asked();
  const begun = await untilSettled(client, (await client.send({ persona: "caller", text: "begin" })).id);
  const child = resultOf(begun);
  const seen = async () => {
    const { id } = await client.send({ persona: "caller", text: child, contextId: begun.contextId });
    return resultOf(await untilSettled(client, id));
  };
  expect(await seen()).toBe("pending");
  outside.answer({ text: "done" });
  await puppet.asked();
  expect(await seen()).toBe("processing");
  await daemon.kill("SIGKILL");
  await daemon.restart();
  const again = await puppet.asked();
  expect(await seen()).toBe("processing");
  again.answer({ text: "done" });
  await untilSettled(client, child);
  expect(await seen()).toBe("completed");
  await daemon.kill("SIGKILL");
  await daemon.restart();
  expect(await seen()).toBe("completed");
});

it("D10 a delegated task runs while its context is busy with the task that delegated it, and other tasks of the context wait", async () => {
  const puppet = await Puppet.start();
  const { client } = await startDaemon({
    providers: { puppet: puppet.provider },
    personas: [
      caller(
        "caller",
        {
          when: { text: "^delegate" },
          steps: [
            { send: { to: "caller", message: "myself", await: true, as: "mine" } },
            { send: { to: "target", message: "work", await: true, as: "theirs" } },
            { reply: "{{results.mine}}, {{results.theirs}}" },
          ],
        },
        { steps: [{ reply: "did {{input.text}}" }] },
      ),
      target,
    ],
  });
  const first = await client.send({ persona: "caller", text: "delegate" });
  const asked = await puppet.asked();
  // Its delegation to the same persona in the same context is done; what came from outside after it stands behind it.
  const second = await client.send({ persona: "caller", text: "next", contextId: first.contextId });
  const elsewhere = await client.send({ persona: "caller", text: "elsewhere" });
  expect(resultOf(await untilSettled(client, elsewhere.id))).toBe("did elsewhere");
  expect(await client.task(second.id)).toMatchObject({
    state: "pending",
    attempt: 0,
    why: `Queued behind task ${first.id} (waiting for reply) of the same context, whose tasks run one after another.`,
  });
  asked.answer({ text: "done" });
  expect(resultOf(await untilSettled(client, first.id))).toBe("did myself, done");
  expect(resultOf(await untilSettled(client, second.id))).toBe("did next");
});
