import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CommandProvider } from "../src/personas/provider.js";
import { PersonaRegistry } from "../src/personas/registry.js";
import { CommandRunner } from "../src/runtimes/command/command-runner.js";
import { ProcessSlots } from "../src/runtimes/command/process-slots.js";
import { processTable } from "../src/runtimes/command/terminate/process-table.js";
import type { RunOutcome } from "../src/tasks/runner.js";
import { type FakeRun, FakeTask } from "./support/fake-run.js";
import { testPersona } from "./support/test-house.js";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "nuncio-command-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

type Options = Partial<CommandProvider> & {
  systemPrompt?: string;
  maxProcesses?: number;
  daemonEnv?: NodeJS.ProcessEnv;
};

function runner({ systemPrompt = "", maxProcesses = 4, daemonEnv = process.env, ...provider }: Options): CommandRunner {
  const persona = testPersona("writer", { runtime: { type: "command", provider: "program", systemPrompt } });
  const command: CommandProvider = {
    type: "command",
    command: process.execPath,
    args: [],
    promptAs: "stdin",
    timeoutMs: 60_000,
    ...provider,
  };
  return new CommandRunner({
    personas: new PersonaRegistry([persona]),
    providers: { program: command },
    ledger: { forTenant: () => ({ snapshot: async () => null }) },
    slots: new ProcessSlots(maxProcesses),
    env: daemonEnv,
    countInvocation: async () => {},
    graceMs: 300,
  });
}

/** A program of these lines, as arguments for Node. */
async function program(source: string): Promise<string[]> {
  const path = join(directory, `${Math.random().toString(36).slice(2)}.mjs`);
  await writeFile(path, source);
  return [path];
}

const settle = (promise: Promise<RunOutcome>) =>
  promise.catch((error: Error & { retryable?: boolean }) => ({
    type: "failed" as const,
    reason: error.message,
    retryable: error.retryable ?? false,
  }));

/** Resolves with everything printed once `pattern` is in it. */
function printed(run: FakeRun, pattern: RegExp): Promise<RegExpExecArray> {
  let text = "";
  return new Promise((resolve) => {
    run.onEmit = (progress) => {
      if (progress.type !== "artifact") return;
      for (const part of progress.artifact.parts) if ("text" in part) text += part.text;
      const match = pattern.exec(text);
      if (match !== null) resolve(match);
    };
  });
}

async function running(pids: readonly number[]): Promise<number[]> {
  const alive = (await processTable()).filter(({ ended }) => !ended).map(({ pid }) => pid);
  return pids.filter((pid) => alive.includes(pid));
}

describe("CommandRunner", () => {
  it("gives the persona's instructions and the message on standard input and streams what is printed", async () => {
    const args = await program(`
      let input = "";
      for await (const chunk of process.stdin) input += chunk;
      process.stdout.write("read: " + input);
    `);
    const task = new FakeTask("Say hello");
    const run = task.attempt();
    expect(await runner({ args, systemPrompt: "Be brief." }).run(run)).toEqual({ type: "completed" });
    run.flush();
    expect(task.result).toBe("read: Be brief.\n\nSay hello");
    expect(task.shown.at(-1)).toMatchObject({ append: true, lastChunk: true });
  });

  it("gives the prompt as the last argument, and never as something that looks like an option", async () => {
    const args = [...(await program("process.stdout.write(JSON.stringify(process.argv.slice(2)))")), "-p"];
    const task = new FakeTask("--version $(touch /tmp/no) `id` ; 'quoted'");
    const run = task.attempt();
    await runner({ args, promptAs: "argument" }).run(run);
    run.flush();
    expect(JSON.parse(task.result ?? "")).toEqual(["-p", " --version $(touch /tmp/no) `id` ; 'quoted'"]);
  });

  it("does not mind a program that reads none of its input", async () => {
    const args = await program('process.stdin.destroy(); process.stdout.write("done");');
    const task = new FakeTask("x".repeat(1_000_000));
    const run = task.attempt();
    expect(await runner({ args }).run(run)).toEqual({ type: "completed" });
    run.flush();
    expect(task.result).toBe("done");
  });

  it("puts characters together that arrive in pieces", async () => {
    const args = await program(`
      for (const byte of Buffer.from("Grüße 🎭")) {
        await new Promise((resolve) => process.stdout.write(Buffer.from([byte]), () => setTimeout(resolve, 2)));
      }
    `);
    const task = new FakeTask("Work");
    const run = task.attempt();
    await runner({ args }).run(run);
    run.flush();
    expect(task.result).toBe("Grüße 🎭");
    expect(task.shown.length).toBeGreaterThan(2);
  });

  it("takes back what a lost attempt had printed, since the program starts again", async () => {
    const args = await program('process.stdout.write("whole");');
    const task = new FakeTask("Work");
    task.show({
      type: "artifact",
      artifact: { artifactId: "result", name: "result", parts: [{ text: "hal" }] },
      append: false,
      lastChunk: false,
    });
    const run = task.attempt();
    await runner({ args }).run(run);
    run.flush();
    expect(task.result).toBe("whole");
  });

  it("completes without an artifact when nothing is printed", async () => {
    const task = new FakeTask("Work");
    const run = task.attempt();
    expect(await runner({ args: await program("") }).run(run)).toEqual({ type: "completed" });
    run.flush();
    expect(task.shown).toEqual([]);
  });

  it("an exit code is a retryable failure with the end of standard error, without configured secrets", async () => {
    const args = await program(`
      process.stderr.write("é".repeat(10_000) + " the token is " + process.env.SERVICE_TOKEN);
      process.exitCode = 3;
    `);
    const secret = "secret-0123456789";
    const outcome = await settle(runner({ args, env: { SERVICE_TOKEN: secret } }).run(new FakeTask("Work").attempt()));
    expect(outcome).toMatchObject({ type: "failed", retryable: true });
    const { reason } = outcome as { reason: string };
    expect(reason).toMatch(/^".*node" exited with code 3: …é+ the token is \[redacted\]$/);
    expect(Buffer.byteLength(reason)).toBeLessThan(8 * 1024 + 200);
  });

  it.each([
    [{ command: "no-such-program-1f0a" }, /^"no-such-program-1f0a" was not found: install it/],
    [{ cwd: "/no/such/directory" }, /its directory \/no\/such\/directory \(cwd\) does not exist$/],
    [{ command: "/etc" }, /^"\/etc" cannot be started: the daemon's user may not execute it$/],
  ])("a program that cannot be started is a final failure: %o", async (provider, reason) => {
    const outcome = await settle(runner(provider).run(new FakeTask("Work").attempt()));
    expect(outcome).toMatchObject({ type: "failed", retryable: false, reason: expect.stringMatching(reason) });
  });

  it("a prompt that is too long for an argument is a final failure that says what to do", async () => {
    const args = await program("");
    const task = new FakeTask("x".repeat(4 * 1024 * 1024));
    expect(await settle(runner({ args, promptAs: "argument" }).run(task.attempt()))).toMatchObject({
      retryable: false,
      reason: expect.stringMatching(/too long for an argument of ".*": set promptAs to stdin$/),
    });
  });

  it("stops a program that prints more than it may, finally", async () => {
    const args = await program(`
      process.stdout.on("error", () => {});
      const more = () => process.stdout.write("x".repeat(10_000), more);
      more();
    `);
    const task = new FakeTask("Work");
    const run = task.attempt();
    expect(await settle(runner({ args, maxOutputBytes: 50_000 }).run(run))).toEqual({
      type: "failed",
      reason: `"${process.execPath}" printed more than 50000 bytes and was stopped`,
      retryable: false,
    });
    run.flush();
    expect(task.result?.length ?? 0).toBeLessThanOrEqual(50_000);
  });

  it("R7 a program sees none of the daemon's variables but a few, and those that are configured for it", async () => {
    const args = await program("process.stdout.write(JSON.stringify(process.env));");
    const daemonEnv = { PATH: process.env.PATH, LANG: "C.UTF-8", ANTHROPIC_API_KEY: "sk-1", NUNCIO_TOKEN: "t" };
    const task = new FakeTask("Work");
    const run = task.attempt();
    await runner({ args, daemonEnv, env: { MODE: "fast" } }).run(run);
    run.flush();
    const { NUNCIO_COMMAND_RUN: marker, ...seen } = JSON.parse(task.result ?? "{}");
    expect(seen).toEqual({ PATH: process.env.PATH, LANG: "C.UTF-8", MODE: "fast" });
    expect(marker).toMatch(/^[0-9a-f-]{36}$/);
  });

  /** Starts a grandchild in the given way, prints its number, and goes on until it is ended. */
  const family = (spawnGrandchild: string) => `
    import { spawn } from "node:child_process";
    const start = (source, options) => spawn(process.execPath, ["-e", source], { stdio: "ignore", ...options });
    ${spawnGrandchild}
    process.on("SIGTERM", () => {});
    setInterval(() => {}, 1000);
  `;
  const STUBBORN = JSON.stringify('process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)');
  const families: [string, string][] = [
    ["in its group", `console.log(process.pid, start(${STUBBORN}, {}).pid, "started");`],
    ["in a session of its own", `console.log(process.pid, start(${STUBBORN}, { detached: true }).pid, "started");`],
  ];
  if (process.platform === "linux") {
    const middle = `
      const { spawn } = require("node:child_process");
      const child = spawn(process.execPath, ["-e", ${STUBBORN}], { detached: true, stdio: "ignore" });
      console.log(child.pid);
      child.unref();
    `;
    families.push([
      "in a session of its own, with a parent that has ended",
      `const middle = spawn(process.execPath, ["-e", ${JSON.stringify(middle)}], { detached: true, stdio: ["ignore", "pipe", "ignore"] });
       let pid = "";
       middle.stdout.on("data", (chunk) => { pid += chunk; });
       middle.on("close", () => console.log(process.pid, pid.trim(), "started"));`,
    ]);
  }

  it.each(families)(
    "a cancel ends the program and its descendant %s, also when they ignore SIGTERM",
    async (_, how) => {
      const args = await program(family(how));
      const stop = new AbortController();
      const run = new FakeTask("Work").attempt({}, stop.signal);
      const started = printed(run, /(\d+) (\d+) started/);
      const outcome = settle(runner({ args }).run(run));
      const [, parent, grandchild] = await started;
      const pids = [Number(parent), Number(grandchild)];
      expect(await running(pids)).toEqual(pids);
      stop.abort(new Error("canceled"));
      expect(await outcome).toMatchObject({ reason: "canceled" });
      expect(await running(pids)).toEqual([]);
    },
  );

  it("the time limit ends the program and its descendants, retryably", async () => {
    const args = await program(family(families[1]?.[1] ?? ""));
    const run = new FakeTask("Work").attempt();
    const started = printed(run, /(\d+) (\d+) started/);
    const outcome = settle(runner({ args, timeoutMs: 4000 }).run(run));
    const [, parent, grandchild] = await started;
    expect(await outcome).toEqual({
      type: "failed",
      reason: `"${process.execPath}" took longer than 4000 ms (timeoutMs)`,
      retryable: true,
    });
    expect(await running([Number(parent), Number(grandchild)])).toEqual([]);
  });

  it("what a program leaves behind when it ends is ended, too, and holds nothing up", async () => {
    const args = await program(`
      import { spawn } from "node:child_process";
      const left = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit", detached: true });
      left.unref();
      console.log(left.pid, "left");
    `);
    const task = new FakeTask("Work");
    const run = task.attempt();
    expect(await runner({ args }).run(run)).toEqual({ type: "completed" });
    run.flush();
    const pid = Number(/^(\d+) left\n$/.exec(task.result ?? "")?.[1]);
    expect(pid).toBeGreaterThan(0);
    expect(await running([pid])).toEqual([]);
  });

  it("runs no more programs at a time than it may", async () => {
    const args = await program(`
      import { mkdirSync, rmdirSync } from "node:fs";
      const busy = ${JSON.stringify(join(directory, "busy"))};
      mkdirSync(busy); // fails when another one is running
      setTimeout(() => rmdirSync(busy), 50);
    `);
    const commands = runner({ args, maxProcesses: 1 });
    const outcomes = [1, 2, 3].map(() => settle(commands.run(new FakeTask("Work").attempt())));
    expect(await Promise.all(outcomes)).toEqual(Array(3).fill({ type: "completed" }));
  });

  it("a run that waits for its turn can be canceled, and does not keep it", async () => {
    const commands = runner({
      args: await program('console.log("started"); setInterval(() => {}, 1000);'),
      maxProcesses: 1,
    });
    const attempts = [1, 2, 3].map(() => {
      const stop = new AbortController();
      const run = new FakeTask("Work").attempt({}, stop.signal);
      return { stop, started: printed(run, /started/), outcome: settle(commands.run(run)) };
    });
    const [first, second, third] = attempts as [Waiting, Waiting, Waiting];
    await first.started;
    second.stop.abort(new Error("canceled while it waited"));
    expect(await second.outcome).toMatchObject({ reason: "canceled while it waited" });
    first.stop.abort(new Error("canceled"));
    await third.started;
    third.stop.abort(new Error("canceled"));
    await Promise.all([first.outcome, third.outcome]);
  });
});

interface Waiting {
  stop: AbortController;
  started: Promise<unknown>;
  outcome: Promise<unknown>;
}
