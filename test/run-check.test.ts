import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PlanCheck } from "../src/plans/plan.js";
import { runCheck } from "../src/runtimes/command/run-check.js";
import { processTable } from "../src/runtimes/command/terminate/process-table.js";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "nuncio-check-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const NEVER = new AbortController().signal;
const ENV = { PATH: process.env.PATH, PROVIDER_KEY: "the daemon's own" };

/** A check of a program of these lines. */
const script = (source: string, over: Partial<PlanCheck> = {}): PlanCheck => ({
  ...{ name: "check", command: process.execPath, args: ["-e", source], timeoutMs: 60_000 },
  ...over,
});
const check = (source: string, over: Partial<PlanCheck> = {}, signal = NEVER) =>
  runCheck(script(source, over), directory, ENV, signal);

describe("a check of a planned task", () => {
  it("P12 is green when its program ends with 0, and only then", async () => {
    expect(await check("console.log('out'); console.error('err')")).toEqual({
      ...{ name: "check", green: true, exitCode: 0, ms: expect.any(Number), output: "out\nerr\n" },
    });
    expect(await check("console.log('no'); process.exit(3)")).toMatchObject({
      green: false,
      exitCode: 3,
      output: "no\n",
    });
    const killed = await check("process.kill(process.pid, 'SIGKILL')");
    expect(killed).toMatchObject({ green: false, exitCode: null, output: expect.stringContaining("SIGKILL") });
  });

  it("P12 runs in the workspace, without a shell, with nothing of the daemon's own environment", async () => {
    const { output } = await check("console.log(process.cwd(), process.argv[1], process.env.PROVIDER_KEY)", {
      args: ["-e", "console.log(process.cwd(), process.argv[1], process.env.PROVIDER_KEY)", "--", "$HOME; `id`"],
    });
    expect(output).toBe(`${directory} $HOME; \`id\` undefined\n`);
  });

  it("P12 that cannot be started is not green", async () => {
    const absent = await check("", { command: "no-such-program-anywhere" });
    expect(absent).toMatchObject({ green: false, exitCode: null, output: expect.stringContaining("not started") });
    const gone = await runCheck(script(""), join(directory, "gone"), ENV, NEVER);
    expect(gone).toMatchObject({ green: false, exitCode: null });
  });

  it("P12 keeps the end of a long output", async () => {
    const { green, output } = await check("for (let n = 0; n < 20000; n++) console.log('line', n)");
    expect(green).toBe(true);
    expect(Buffer.byteLength(output)).toBeLessThanOrEqual(8 * 1024);
    expect(output.startsWith("…")).toBe(true);
    expect(output.endsWith("line 19999\n")).toBe(true);
  });

  it("P12 that takes too long is ended with what it has started, and is not green", async () => {
    const pidFile = join(directory, "pid");
    const source = `const child = require("child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)"], { stdio: "ignore" });
      require("fs").writeFileSync(${JSON.stringify(pidFile)}, String(child.pid));
      setInterval(() => {}, 1e6);`;
    const ended = await check(source, { timeoutMs: 1500 });
    expect(ended).toMatchObject({
      green: false,
      exitCode: null,
      output: expect.stringContaining("longer than 1500 ms"),
    });
    const started = Number(readFileSync(pidFile, "utf8"));
    expect((await processTable()).filter(({ pid, ended }) => pid === started && !ended)).toEqual([]);
  });

  it("P12 is done when its program is, also when something that has got away keeps its output open", async () => {
    const pidFile = join(directory, "away");
    // Without our mark, in a session of its own, and its parent is gone: nothing says that it belongs to the check.
    const away = `require("fs").writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); setInterval(() => {}, 1e6)`;
    const between = `require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(away)}], { detached: true, env: {}, stdio: "inherit" }).unref()`;
    const source = `require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(between)}], { detached: true, env: {}, stdio: "inherit" })
      .on("exit", () => {
        const look = setInterval(() => {
          if (!require("fs").existsSync(${JSON.stringify(pidFile)})) return;
          clearInterval(look);
          console.log("done");
        }, 5);
      });`;
    try {
      expect(await check(source)).toMatchObject({ green: true, exitCode: 0, output: "done\n" });
    } finally {
      process.kill(Number(readFileSync(pidFile, "utf8")), "SIGKILL");
    }
  });

  it("P12 is ended when whoever asked for it leaves, and comes to nothing", async () => {
    const leaving = new AbortController();
    const running = check("setInterval(() => {}, 1e6)", {}, leaving.signal);
    leaving.abort(new Error("left"));
    await expect(running).rejects.toThrow("left");
  });
});
