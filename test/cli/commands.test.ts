import { expect, it } from "vitest";
import { startDaemon, type TestDaemon } from "../support/daemon/start-daemon.js";
import { untilSaid } from "../support/daemon/watch.js";
import { type CliOptions, runCli, startCli } from "../support/run-cli.js";

const scripted = (name: string, ...script: object[]) => ({
  name,
  runtime: "scripted",
  capabilities: { allow: ["persona.send:*"] },
  script,
});

const send = (to: string) => ({ send: { to, message: "{{input.text}}", await: true, as: "answer" } });

const config = {
  queue: { backoffBaseMs: 60_000, backoffMaxMs: 60_000 },
  a2a: { maxAttempts: 2, maxConcurrentPerTarget: 5 },
  personas: [
    scripted("echo"),
    scripted("lead", {
      steps: [{ status: "asking around" }, send("expert"), { chunk: "So: " }, { reply: "{{results.answer}}" }],
    }),
    scripted(
      "expert",
      { when: { text: "^ask", turn: 1 }, steps: [{ ask: "which color?" }] },
      { when: { text: "^hang" }, steps: [{ status: "hanging" }, { hang: true }] },
      { steps: [{ reply: "all about {{input.text}}" }] },
    ),
    { ...scripted("narrow", { steps: [{ status: "hanging" }, { hang: true }] }), maxConcurrent: 1 },
    scripted("flaky", { steps: [{ fail: { text: "it broke", retryable: true } }] }),
    scripted("broken", { steps: [{ fail: "it is broken" }] }),
    scripted("picky", { steps: [{ reject: "not today" }] }),
    scripted("rude", { steps: [{ reply: "\u001b[2J\u001b]0;gotcha\u0007over\rwritten \u009b31m" }] }),
  ],
};

const cli = async (daemon: TestDaemon, line: string, options?: CliOptions) =>
  runCli([...words(line), "--config", daemon.configFile], options);

/** Splits a command line at blanks; double quotes keep them. */
const words = (line: string): string[] => [...line.matchAll(/"([^"]*)"|\S+/g)].map(([all, quoted]) => quoted ?? all);

it("prints the result of a task and exits with 0, or the reason and 1 when it failed or was rejected", async () => {
  const daemon = await startDaemon(config);
  const done = await cli(daemon, "send lead tides --wait");
  expect(done).toMatchObject({ code: 0, stdout: "So: all about tides\n", stderr: "" });

  const failed = await cli(daemon, "send broken x --wait");
  expect(failed).toMatchObject({ code: 1, stdout: "" });
  expect(failed.stderr).toMatch(/^broken failed: it is broken\nnext: `nuncio task show \S+ --config \S+`/);

  const rejected = await cli(daemon, "send picky x --wait --json");
  expect(rejected.code).toBe(1);
  expect(rejected.json()).toMatchObject({ state: "rejected", statusMessage: { parts: [{ text: "not today" }] } });
});

it("reads a text from standard input where a dash stands for it", async () => {
  const daemon = await startDaemon(config);
  const long = "word ".repeat(50_000).trim();
  expect((await cli(daemon, "send echo - --wait", { input: long })).stdout).toBe(`${long}\n`);
});

it("sends once when a command with a message id is repeated, and conflicts on another text", async () => {
  const daemon = await startDaemon(config);
  const first = await cli(daemon, "send echo hello --message-id m-1");
  const second = await cli(daemon, "send echo hello --message-id m-1");
  expect(second.stdout).toBe(first.stdout);
  expect(first.stderr).toContain(`next: \`nuncio task watch ${first.stdout.trim()} --config ${daemon.configFile}\``);
  const other = await cli(daemon, "send echo other --message-id m-1 --json");
  expect(other.code).toBe(2);
  expect(other.json()).toMatchObject({ error: { code: "conflict" } });
});

it("shows the delegation tree and the text as they happen", async () => {
  const daemon = await startDaemon(config);
  const streamed = await cli(daemon, "send lead tides --stream");
  expect(streamed.code).toBe(0);
  const lines = streamed.stdout.split("\n").map((line) => line.replace(/ {2}[0-9a-f-]{36}$/, ""));
  expect(lines).toContain("lead");
  expect(lines).toContain("  ● processing: asking around");
  expect(lines).toContain("  expert");
  expect(lines).toContain("    ✔ completed");
  expect(lines).toContain("So: all about tides");
  expect(lines.at(-2)).toBe("  ✔ completed");

  const id = (await cli(daemon, "task list --persona lead --json")).json().tasks[0].id;
  const tree = await cli(daemon, `task tree ${id}`);
  expect(tree.stdout).toMatch(/^✔ lead {2}completed {2}\S+\n└─✔ expert {2}completed {2}\S+\n$/);
  const watched = await cli(daemon, `task watch ${id} --json`);
  expect(watched.json()).toMatchObject({ id, state: "completed" });
});

it("prints the documents that others rely on", async () => {
  const daemon = await startDaemon(config);
  const { id, contextId } = (await cli(daemon, "send lead tides --wait --json")).json();
  const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

  const listed = (await cli(daemon, "task list --limit 1 --state completed --persona lead --json")).json();
  expect(listed).toEqual({
    tasks: [
      expect.objectContaining({
        id,
        contextId,
        persona: "lead",
        state: "completed",
        trigger: "cli",
        attempt: 1,
        parentId: null,
        rootId: id,
        createdAt: timestamp,
        updatedAt: timestamp,
      }),
    ],
    nextCursor: null,
  });
  const newest = (await cli(daemon, "task list --limit 1 --json")).json();
  expect(newest.tasks[0]).toMatchObject({ persona: "expert", trigger: "delegation", parentId: id, rootId: id });
  const older = (await cli(daemon, `task list --cursor ${newest.nextCursor} --json`)).json();
  expect(older.tasks.map((task: { id: string }) => task.id)).toEqual([id]);

  expect((await cli(daemon, `task show ${id} --json`)).json()).toMatchObject({
    id,
    messages: [{ role: "user", parts: [{ text: "tides" }] }, { role: "agent" }],
    artifacts: [{ name: "result", parts: [{ text: "So: all about tides" }] }],
    children: [{ persona: "expert", state: "completed" }],
    why: null,
  });
  expect((await cli(daemon, "status --json")).json()).toMatchObject({
    pid: daemon.pid,
    version: expect.any(String),
    uptimeSeconds: expect.any(Number),
    listeners: { http: daemon.url, grpc: null, console: null },
    tasks: { pending: 0, processing: 0, waiting: 0, dead: 0 },
  });
  const { personas } = (await cli(daemon, "persona list --json")).json();
  expect(personas.map(({ name }: { name: string }) => name)).toEqual(config.personas.map(({ name }) => name));
  expect((await cli(daemon, "persona show lead --json")).json()).toMatchObject({
    name: "lead",
    runtime: "scripted",
    url: `${daemon.url}/v1/agents/lead/a2a`,
  });
});

it("X17 says why a task is not moving: a retry to come, a slot, an answer, a reply", async () => {
  const daemon = await startDaemon(config);
  const started = async (line: string) => (await cli(daemon, line)).stdout.trim();
  const why = async (id: string) => (await cli(daemon, `task show ${id} --json`)).json().why;

  const flaky = await cli(daemon, "send flaky x --timeout 1500 --json");
  expect(flaky.code).toBe(4);
  expect(flaky.json().why).toMatch(/^Waiting after a failed attempt: attempt 2 of 2 starts in (\d+ s|1 min).*\.$/);

  const first = await started("send narrow x");
  await untilSaid(daemon.client, first, "hanging");
  expect(await why(first)).toMatch(/^Running: attempt 1 of 2/);
  const second = await started("send narrow y");
  expect(await why(second)).toBe("Queued: the only slot of persona narrow is in use (maxConcurrent).");

  const asking = (await cli(daemon, 'send lead "ask me" --wait --json')).json();
  expect(asking.why).toContain(`nuncio task answer ${asking.id}`);

  const waiting = await started("send lead hang");
  const child = await untilSaid(daemon.client, waiting, "hanging");
  expect(await why(waiting)).toMatch(`Waiting for the reply of expert (task ${child}, processing), for another`);
  const tree = await cli(daemon, `task tree ${waiting}`);
  expect(tree.stdout).toContain("Waiting for the reply of expert");

  const shown = await cli(daemon, `task show ${second}`);
  expect(shown.stdout).toMatch(/\nwhy +Queued: the only slot/);
});

it("D18 shows the question of a delegated task at its root, and takes the answer there", async () => {
  const daemon = await startDaemon(config);
  const asked = await cli(daemon, 'send lead "ask me" --wait');
  expect(asked).toMatchObject({ code: 0, stdout: "which color?\n" });
  const id = /nuncio task answer (\S+)/.exec(asked.stderr)?.[1] ?? "";

  const answered = await cli(daemon, `task answer ${id} "the red one" --wait`);
  expect(answered).toMatchObject({ code: 0, stdout: "So: all about the red one\n" });
  expect(answered.stderr).toMatch(/went to delegated task \S+/);

  const late = await cli(daemon, `task answer ${id} again`);
  expect(late.code).toBe(2);
  expect(late.stderr).toMatch(/^error: /);
});

it("X7 purges a task, a conversation, or what is old, and never what works", async () => {
  const daemon = await startDaemon(config);
  const done = (await cli(daemon, "send lead tides --wait --json")).json();
  const hanging = (await cli(daemon, "send expert hang --json")).json();
  const refused = await cli(daemon, `task purge ${hanging.id}`);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("only what has ended can be purged");
  expect(refused.stderr).toContain(`nuncio task cancel ${hanging.id}`);

  expect((await cli(daemon, `task purge ${done.id} --json`)).json()).toEqual({ purged: 2, kept: 0 });
  expect((await cli(daemon, `task show ${done.id}`)).code).toBe(2);

  const { contextId } = (await cli(daemon, "send echo hello --wait --json")).json();
  expect(await cli(daemon, `task purge --context ${contextId}`)).toMatchObject({ code: 0, stdout: "1 purged\n" });
  expect((await cli(daemon, "task purge --older-than 7d --json")).json()).toEqual({ purged: 0, kept: 0 });
  for (const line of ["task purge", `task purge ${hanging.id} --older-than 7d`]) {
    const unclear = await cli(daemon, line);
    expect(unclear.code).toBe(2);
    expect(unclear.stderr).toContain("say what is to go");
  }
});

it("D8 lists, shows, retries and purges dead letters", async () => {
  const daemon = await startDaemon({ ...config, queue: { backoffBaseMs: 1, backoffMaxMs: 1 } });
  const { id } = (await cli(daemon, "send flaky x --wait --json")).json();
  const listed = (await cli(daemon, "dlq list --json")).json();
  expect(listed.tasks).toMatchObject([{ id, persona: "flaky", attempt: 2, reason: "it broke", retriedAs: null }]);
  expect((await cli(daemon, `dlq show ${id}`)).stderr).toContain(`nuncio dlq retry ${id}`);

  const again = (await cli(daemon, `dlq retry ${id} --json`)).json();
  expect(again).toMatchObject({ retryOf: id, trigger: "retry", persona: "flaky" });
  expect((await cli(daemon, `dlq retry ${id}`)).code).toBe(2);
  expect((await cli(daemon, `task watch ${again.id}`)).code).toBe(1);

  expect((await cli(daemon, `dlq purge ${id} --json`)).json()).toEqual({ purged: 1 });
  expect((await cli(daemon, "dlq purge --json")).json()).toEqual({ purged: 1 });
  expect(await cli(daemon, "dlq list")).toMatchObject({ code: 0, stdout: "", stderr: "no dead letters\n" });
  expect((await cli(daemon, `dlq show ${id}`)).code).toBe(2);
  expect((await cli(daemon, `task show ${id} --json`)).json()).toMatchObject({ state: "failed" });
});

it("D19 cancels a task with what it has delegated", async () => {
  const daemon = await startDaemon(config);
  const id = (await cli(daemon, "send lead hang")).stdout.trim();
  await untilSaid(daemon.client, id, "hanging");
  const canceled = await cli(daemon, `task cancel ${id} --reason "no longer needed" --json`);
  expect(canceled.json()).toMatchObject({
    id,
    state: "canceled",
    children: [{ persona: "expert", state: "canceled" }],
  });
  expect(canceled.stderr).toBe("canceled, with 1 delegated task\n");
  expect((await cli(daemon, `task watch ${id}`)).code).toBe(1);
});

it("E5 makes keys that are shown once, lists them and revokes them", async () => {
  const daemon = await startDaemon(config);
  const made = await cli(daemon, "key create billing --scope runs:execute --scope tasks:read --expires-in 90d --json");
  const key = made.json();
  expect(key).toEqual({
    id: expect.any(String),
    kind: "key",
    name: "billing",
    tenant: "default",
    scopes: ["runs:execute", "tasks:read"],
    key: expect.stringMatching(/^nk_/),
    createdAt: expect.any(String),
    expiresAt: expect.any(String),
    revokedAt: null,
    tenantMade: false,
  });
  const listed = await cli(daemon, "key list --json");
  expect(listed.json().keys).toMatchObject([{ id: key.id, name: "billing" }]);
  expect(listed.stdout).not.toContain(key.key);
  expect((await cli(daemon, `key revoke ${key.id} --json`)).json()).toEqual({ id: key.id, revoked: true });
  expect((await cli(daemon, "key list")).stdout).toMatch(/billing .* revoked /);
  expect((await cli(daemon, "key create x --scope root")).code).toBe(2);
  expect((await cli(daemon, "key create x --expires-in soon")).code).toBe(2);
});

it("prints what agents say without letting it touch the terminal", async () => {
  const daemon = await startDaemon(config);
  for (const line of ["send rude x --wait", "send rude x --stream", "send rude x --wait --json", "task list"]) {
    const { stdout } = await cli(daemon, line);
    expect(stdout).not.toMatch(/(?!\n)\p{Cc}/u);
  }
});

it("leaves the task alone at Ctrl-C, and says how to get back to it", async () => {
  const daemon = await startDaemon(config);
  const watching = startCli(["send", "narrow", "x", "--stream", "--config", daemon.configFile]);
  await watching.untilPrinted("hanging");
  watching.process.kill("SIGINT");
  const { code, stderr } = await watching.done;
  expect(code).toBe(130);
  const id = /nuncio task watch (\S+) --config/.exec(stderr)?.[1] ?? "";
  expect(await daemon.client.task(id)).toMatchObject({ state: "processing" });
});

it.each(["SIGKILL", "SIGTERM"] as const)(
  "exits with 3 when the daemon goes away while a task is followed, and the task is there afterwards: %s",
  async (signal) => {
    const daemon = await startDaemon(config);
    const watching = startCli(["send", "narrow", "x", "--stream", "--config", daemon.configFile]);
    await watching.untilPrinted("hanging");
    await daemon.kill(signal);
    const { code, stderr } = await watching.done;
    expect(code).toBe(3);
    expect(stderr).toMatch(/^error: the daemon went away .*\n {2}next: .*nuncio up/);
    await daemon.restart();
    expect((await cli(daemon, "task list --json")).json().tasks).toMatchObject([{ persona: "narrow" }]);
  },
);

it("is quiet when nobody reads its output any more", async () => {
  const daemon = await startDaemon(config);
  const { id } = (await cli(daemon, "send echo x --wait --json")).json();
  const shown = startCli(["task", "show", id, "--config", daemon.configFile]);
  shown.process.stdout.destroy();
  expect(await shown.done).toMatchObject({ code: 0, stderr: "" });
});
