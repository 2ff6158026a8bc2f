import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { PlannedTaskJson } from "../../src/http/control/schema/planned-task.js";
import { processTable } from "../../src/runtimes/command/terminate/process-table.js";
import { startDaemon, type TestDaemon } from "../support/daemon/start-daemon.js";
import { untilSettled } from "../support/daemon/watch.js";
import { startFakeAnthropic } from "../support/fake-providers/anthropic.js";
import type { FakeProvider } from "../support/fake-providers/script.js";
import { runCli } from "../support/run-cli.js";

/* The whole way of a planned task by the command line, on one daemon. The model asks for a tool each time that it is asked. */

let daemon: TestDaemon;
let provider: FakeProvider;
let directory: string;
let endDaemon: () => Promise<void>;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "nuncio-planned-"));
  provider = await startFakeAnthropic({ turns: () => ({ tools: [{ name: "persona_list", args: {} }] }) });
  const send = { send: { to: "asker", message: "go", await: true, as: "answer" } };
  const allow = { capabilities: { allow: ["persona.send:*"] } };
  const config = {
    providers: {
      main: { type: "anthropic", baseURL: provider.url, apiKey: "test-key" },
      program: { type: "command", command: process.execPath, args: ["-e", "console.log('ran')"] },
    },
    profiles: [{ name: "acme/auditor", kind: "analysis", text: "Audit it." }],
    personas: [
      { name: "analyst", runtime: "scripted" },
      { name: "broken", runtime: "scripted", script: [{ steps: [{ fail: "it broke" }] }] },
      { name: "asker", model: "m", provider: "main", ...allow },
      { name: "lead", runtime: "scripted", ...allow, script: [{ steps: [send, { reply: "x" }] }] },
      { name: "prog", provider: "program" },
    ],
  };
  daemon = await startDaemon(config, {}, (end) => {
    endDaemon = end;
  });
});

afterAll(async () => {
  await endDaemon();
  await provider.close();
  rmSync(directory, { recursive: true, force: true });
});

const cli = (...args: string[]) => runCli([...args, "--config", daemon.configFile], { cwd: directory });
const json = async (...args: string[]) => (await cli(...args, "--json")).json();

let number = 0;
interface Prepared {
  steps?: object[];
  checks?: object[];
  invocations?: number;
  files?: Record<string, string>;
}

/** A workspace and a plan for it, and the planned task that is made of both. */
async function prepare({ steps, checks, invocations = 9, files = { "a.txt": "admitted" } }: Prepared = {}) {
  const name = `ws-${++number}`;
  mkdirSync(join(directory, name));
  for (const [path, text] of Object.entries(files)) writeFileSync(join(directory, name, path), text);
  const plan = {
    ...{ schema: 1, title: `plan ${number}` },
    steps: steps ?? [{ id: "read", instruction: "Read it.", files: ["a.txt"], persona: "analyst" }],
    checks: checks ?? [{ name: "there", command: "test", args: ["-f", "a.txt"] }],
    limits: { invocations, token_units: null },
  };
  writeFileSync(join(directory, `${name}.json`), JSON.stringify(plan));
  const made: PlannedTaskJson = await json("task", "create", "--plan", `${name}.json`, "--workspace", name);
  return { id: made.id, made, workspace: join(directory, name) };
}

async function assign(id: string, persona: string, invocations = 1): Promise<string> {
  const { revision } = await daemon.client.plannedTask(id);
  const given = { step: "read", profile: "nuncio/reviewer", runtime: "native", persona, invocations, revision };
  return (await daemon.client.assignStep(id, given)).assignmentId;
}

/** Runs an assignment as it stands, to its end. */
async function run(id: string, assignmentId: string) {
  const { revision, assignments } = await daemon.client.plannedTask(id);
  const generation = assignments.find((one) => one.id === assignmentId)?.generation ?? 0;
  const { childId } = await daemon.client.runAssignment(id, assignmentId, { generation, revision });
  return untilSettled(daemon.client, childId);
}

const assignmentsOf = async (id: string) => (await daemon.client.plannedTask(id)).assignments;

it("P7 P8 P12 each command prints what the next one takes, from the plan to the end", async () => {
  const { id, made } = await prepare({ files: { "a.txt": "admitted", ".env": "KEY=1" } });
  expect(made.snapshot).toMatchObject({
    admitted: [{ path: "a.txt", bytes: 8 }],
    leftOut: [{ path: ".env", reason: "may hold secrets" }],
  });
  const nextOf = (stderr: string) =>
    (/next: `nuncio ((?:team|task) (?:assign|run|complete) [^`]*)`/.exec(stderr)?.[1] ?? "").split(" ");
  const step = async (args: string[]) => runCli(args, { cwd: directory });
  const listed = await cli("team", "list", id);
  expect(listed.stdout).toContain(".env: may hold secrets");
  const assigned = await step(nextOf(listed.stderr));
  const begun = await step(nextOf(assigned.stderr));
  expect(begun).toMatchObject({ code: 0 });
  const [{ runs = [] } = {}] = await assignmentsOf(id);
  await untilSettled(daemon.client, runs[0]?.childId as string);
  const ready = await cli("team", "list", id);
  const completed = await step(nextOf(ready.stderr));
  expect(completed).toMatchObject({ code: 0 });
  expect(completed.stdout).toMatch(/^green {2}there .*\n.* is complete\n$/);
  expect(await json("team", "list", id)).toMatchObject({
    state: "completed",
    lastChecks: [{ green: true, exitCode: 0 }],
  });
  expect((await json("team", "list")).plannedTasks[0]).toMatchObject({ id, state: "completed" });
});

it("P8 P6 a native run is given profile, instruction and the files as they were admitted, not as they are", async () => {
  const { id, workspace } = await prepare();
  writeFileSync(join(workspace, "a.txt"), "changed since");
  const { revision } = await daemon.client.plannedTask(id);
  const assigned = await json(
    ...["team", "assign", id, "--step", "read", "--profile", "acme/auditor", "--runtime", "native"],
    ...["--invocations", "1", "--revision", String(revision)],
  );
  const child = await run(id, assigned.assignmentId);
  const [message] = child.messages;
  const text = (message?.parts ?? []).map((part) => part.text).join("\n");
  expect(child).toMatchObject({ persona: "analyst", trigger: "plan", state: "completed" });
  for (const part of ["Audit it.", "Read it.", '"a.txt" sha256:', "admitted"]) expect(text).toContain(part);
  expect(text).not.toContain("changed since");
});

it("P8 a stale revision or generation is a conflict that changes nothing, and says where to look", async () => {
  const { id } = await prepare();
  const assignment = await assign(id, "analyst");
  const before = await daemon.client.plannedTask(id);
  for (const [generation, revision] of [
    ["0", "1"],
    ["1", "2"],
  ] as const) {
    const refused = await cli(
      ...["team", "run", id, "--assignment", assignment, "--generation", generation, "--revision", revision],
    );
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(`next: nuncio team list ${id}`);
  }
  expect(await daemon.client.plannedTask(id)).toEqual(before);
});

it("P9 each request to a model is counted before it is made, and none is made beyond the allowance", async () => {
  const { id } = await prepare();
  const assignment = await assign(id, "asker", 3);
  const asked = provider.requests.length;
  const child = await run(id, assignment);
  expect(child).toMatchObject({ state: "failed", attempt: 1 });
  expect(child.statusMessage?.parts[0]?.text).toContain("is used up: 3 of 3 invocations");
  expect(provider.requests.length - asked).toBe(3);
  const [used] = await assignmentsOf(id);
  expect(used).toMatchObject({ invocations: { used: 3, allowed: 3 }, modelRequests: 3, tokens: 45, unobserved: [] });
  await expect(run(id, assignment)).rejects.toMatchObject({ reason: "ALLOWANCE_USED_UP" });
});

it("P9 what a run delegates is counted for it, and the allowance of the plan bounds all", async () => {
  const { id } = await prepare({ invocations: 2 });
  const asked = provider.requests.length;
  await run(id, await assign(id, "lead", 5));
  expect(provider.requests.length - asked).toBe(2);
  expect(await daemon.client.plannedTask(id)).toMatchObject({ invocations: { used: 2, allowed: 2 } });
});

it("P9 a program counts one for each attempt; what it asks of models is unobserved, and not zero", async () => {
  const { id } = await prepare();
  const child = await run(id, await assign(id, "prog", 2));
  expect(child.state).toBe("completed");
  const [used] = await assignmentsOf(id);
  expect(used).toMatchObject({ invocations: { used: 1 }, modelRequests: null, tokens: null });
  expect(used?.unobserved).toEqual(["modelRequests", "tokens"]);
  expect((await cli("team", "list", id)).stdout).toContain("unobserved");
});

it("P9 a run that failed is done again by a run, not as a dead letter", async () => {
  const { id } = await prepare();
  const child = await run(id, await assign(id, "broken"));
  expect(child.state).toBe("failed");
  const refused = await cli("dlq", "retry", child.id);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain(`nuncio team list ${id}`);
});

it("P12 red checks complete nothing, and say what they said; green ones do", async () => {
  const { id, workspace } = await prepare({ checks: [{ name: "says", command: "cat", args: ["done.txt"] }] });
  const early = await cli("task", "complete", id, "--revision", "1");
  expect(early).toMatchObject({ code: 2, stdout: "" });
  expect(early.stderr).toContain("steps without a completed run: read");
  await run(id, await assign(id, "analyst"));
  const red = await cli("task", "complete", id, "--revision", "3");
  expect(red.code).toBe(1);
  expect(red.stdout).toMatch(/^not green {2}says \(exit code 1, \d+ ms\)\n {2}cat: .*done\.txt/);
  writeFileSync(join(workspace, "done.txt"), "done");
  expect((await cli("task", "complete", id, "--revision", "3")).code).toBe(2);
  const green = await json("task", "complete", id, "--revision", "4");
  expect(green).toMatchObject({
    plannedTaskId: id,
    state: "completed",
    revision: 5,
    checks: [{ name: "says", green: true }],
  });
});

it("P12 of two that complete it at the same time one does; who leaves completes nothing", async () => {
  const waits = `const fs = require("fs"); fs.writeFileSync("pid", String(process.pid)); console.log("runs");
    const look = setInterval(() => { if (fs.existsSync("go")) clearInterval(look); }, 5);`;
  const { id, workspace } = await prepare({
    checks: [{ name: "waits", command: process.execPath, args: ["-e", waits] }],
  });
  await run(id, await assign(id, "analyst"));
  const leaving = new AbortController();
  const lines = daemon.client.completePlannedTask(id, 3, leaving.signal);
  const left = lines.next();
  const pid = await untilWritten(join(workspace, "pid"));
  const second = await cli("task", "complete", id, "--revision", "3");
  expect(second).toMatchObject({ code: 2, stderr: expect.stringContaining("running already") });
  leaving.abort();
  await expect(left).rejects.toThrow();
  await untilGone(pid);
  expect(await daemon.client.plannedTask(id)).toMatchObject({ state: "open", revision: 3, lastChecks: null });

  writeFileSync(join(workspace, "go"), "");
  expect((await cli("task", "complete", id, "--revision", "3")).code).toBe(0);
});

it("P7 a plan that cannot be taken says file, line and column; a step's file that was not admitted says why", async () => {
  writeFileSync(
    join(directory, "bad.yaml"),
    "schema: 1\ntitle: x\nsteps: []\nlimits: { invocations: 1, token_units: null }\n",
  );
  const bad = await cli("task", "create", "--plan", "bad.yaml", "--workspace", ".");
  expect(bad.code).toBe(2);
  expect(bad.stderr).toMatch(/bad\.yaml:3:8: steps: is empty/);
  expect(bad.stderr).toMatch(/bad\.yaml:1:1: checks: is missing/);
  const steps = [{ id: "read", instruction: "x", files: [".env"], persona: "analyst" }];
  const { made } = await prepare({ steps, files: { ".env": "x" } });
  expect(made).toMatchObject({
    error: { field: "steps[0].files[0]", message: expect.stringContaining("may hold secrets") },
  });
});

it("a planned task is no task: whoever looks for it there is told where it is", async () => {
  const { id } = await prepare();
  for (const command of [
    ["task", "show"],
    ["a2a", "inspect"],
  ]) {
    const shown = await cli(...command, id);
    expect(shown.code).toBe(2);
    expect(shown.stderr).toContain(`next: nuncio team list ${id}`);
  }
});

it("X7 a planned task that is not wanted any more is purged by its id, and what was done for it can be purged then", async () => {
  const { id } = await prepare();
  const { id: childId } = await run(id, await assign(id, "analyst"));
  const early = await cli("task", "purge", childId);
  expect(early.code).toBe(2);
  expect(early.stderr).toContain("is a run of a planned task that is not complete");
  expect(await json("team", "purge", id)).toEqual({ id, purged: true });
  expect((await cli("team", "list", id)).stderr).toContain("was not found");
  expect(await json("task", "purge", childId)).toMatchObject({ purged: 1 });
});

it("P8 an assignment that cannot be is refused by name, with what there is", async () => {
  const { id } = await prepare();
  const good = {
    step: "read",
    profile: "nuncio/reviewer",
    runtime: "native",
    persona: "analyst",
    invocations: 1,
    revision: 1,
  };
  const cases: [over: object, facts: { field: string; hint?: unknown }][] = [
    [
      { profile: "nuncio/absent" },
      { field: "profile", hint: expect.stringMatching(/nuncio\/reviewer, .*acme\/auditor/) },
    ],
    [{ runtime: "nobody" }, { field: "runtime", hint: expect.stringContaining("nuncio a2a peers") }],
    [{ persona: "nobody" }, { field: "persona", hint: expect.stringContaining("nuncio persona list") }],
    [{ step: "absent" }, { field: "step", hint: expect.stringContaining("read") }],
    [{ invocations: 0 }, { field: "invocations" }],
    [{ revision: -1 }, { field: "revision" }],
    [{ surprise: 1 }, { field: "surprise" }],
  ];
  for (const [over, facts] of cases) {
    await expect(daemon.client.assignStep(id, { ...good, ...over })).rejects.toMatchObject({
      code: "invalid_argument",
      ...facts,
    });
  }
  expect((await cli("team", "assign", id, "--step", "read")).code).toBe(2);
  expect(await assignmentsOf(id)).toEqual([]);
});

async function untilWritten(file: string): Promise<number> {
  await expect.poll(() => readOr(file), { timeout: 30_000 }).toMatch(/^\d+$/);
  return Number(readOr(file));
}

async function untilGone(pid: number): Promise<void> {
  await expect.poll(() => isAlive(pid), { timeout: 30_000 }).toBe(false);
}

const isAlive = async (pid: number): Promise<boolean> =>
  (await processTable()).some((one) => one.pid === pid && !one.ended);

function readOr(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
