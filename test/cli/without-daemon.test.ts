import { spawnSync } from "node:child_process";
import {
  closeSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NUNCIO, runCli, startCli } from "../support/run-cli.js";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "nuncio-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

const cli = (...args: string[]) => runCli(args, { cwd: directory });
const config = (text: string) => writeFileSync(join(directory, "nuncio.yaml"), text);

describe("help", () => {
  it("names every command, and the exit codes", async () => {
    const { code, stdout, stderr } = await cli("--help");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const word of ["init", "up", "status", "send", "persona", "task", "dlq", "key", "Exit codes"]) {
      expect(stdout).toContain(word);
    }
    const verbs = (await cli("task", "--help")).stdout;
    for (const verb of ["list", "show", "watch", "tree", "answer", "cancel"]) expect(verbs).toContain(`  ${verb}`);
  });

  it("of a command lists its options, however it is asked for", async () => {
    const asked = await Promise.all([cli("help", "send"), cli("send", "--help"), cli("--json", "send", "-h")]);
    for (const { code, stdout } of asked) {
      expect(code).toBe(0);
      expect(stdout).toContain("--stream");
      expect(stdout).toContain("--config <file>");
    }
  });

  it("Q7 loads no command, no configuration and no daemon", async () => {
    const loaded = join(directory, "loaded.mjs");
    // Says on standard error what the process imports.
    const hook =
      "export async function resolve(name, context, next) { const found = await next(name, context);" +
      " process._rawDebug('LOADED ' + found.url); return found; }";
    writeFileSync(
      loaded,
      `import { register } from "node:module"; register("data:text/javascript,${encodeURIComponent(hook)}");`,
    );
    const { stderr } = await runCli(["--help"], { cwd: directory, env: { NODE_OPTIONS: `--import ${loaded}` } });
    const files = [...stderr.matchAll(/LOADED (\S+)/g)].map(([, url]) => url);
    expect(files.some((url) => url?.endsWith("/dist/cli/main.js"))).toBe(true);
    expect(
      files.filter((url) => /\/(zod|yaml|cli-table3)\/|dist\/(config|client|daemon|cli\/commands\/)/.test(url ?? "")),
    ).toEqual([]);
  });

  it("prints the version of the package", async () => {
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
    expect(await cli("--version")).toMatchObject({ code: 0, stdout: `${version}\n` });
  });
});

describe("mistakes", () => {
  it.each([
    ["an unknown command", ["tsk"], "Did you mean task?"],
    ["an unknown option", ["task", "list", "--sate", "x"], "--state"],
    ["a missing argument", ["task", "show"], "missing required argument 'id'"],
    ["one argument too many", ["task", "show", "a", "b"], "too many arguments"],
    ["a limit that is no number", ["task", "list", "--limit", "ten"], "whole number"],
    ["a noun without a verb", ["task"], "Usage: nuncio task"],
    ["no configuration", ["status"], "nuncio init"],
    ["a configuration that is not there", ["up", "--config", "other.yaml"], "other.yaml"],
  ])("exit with 2 and say what to do: %s", async (_what, args, said) => {
    const { code, stdout, stderr } = await cli(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(said);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it("are one JSON document where that is asked for", async () => {
    for (const args of [["status"], ["task", "show"], ["tsk"]]) {
      const result = await cli(...args, "--json");
      expect(result.json()).toEqual({ error: expect.objectContaining({ message: expect.any(String) }) });
    }
  });

  it("in the configuration are shown with file, line and column", async () => {
    config("a2a:\n  maxHops: 99\n");
    const { code, stderr } = await cli("up");
    expect(code).toBe(2);
    expect(stderr).toMatch(/nuncio\.yaml:2:\d+: a2a\.maxHops: 99 /);
  });
});

describe("no daemon", () => {
  it("is exit code 3, with what to do", async () => {
    config("dataDir: ./data\n");
    const { code, stderr } = await cli("status");
    expect(code).toBe(3);
    expect(stderr).toContain("nuncio up");
  });

  it("is found to be absent with variables that this shell lacks, and with faults that only `up` minds", async () => {
    config('providers: { anthropic: { type: anthropic, apiKey: ${NO_SUCH_KEY} } }\npersonas: "later"\n');
    expect((await cli("status")).code).toBe(3);
  });

  it("cannot be looked for where the data directory is a riddle", async () => {
    config("dataDir: ${NO_SUCH_DIRECTORY}/nuncio\n");
    const { code, stderr } = await cli("status");
    expect(code).toBe(2);
    expect(stderr).toContain("NO_SUCH_DIRECTORY");
  });

  const bomb = Array.from(
    { length: 8 },
    (_, at) => `a${at}: &a${at} [${at === 0 ? "x" : Array(10).fill(`*a${at - 1}`)}]`,
  );
  it.each([
    ["too deep", `a: ${"[".repeat(1000)}${"]".repeat(1000)}\n`, /nests deeper than 64 levels/],
    ["too large", `dataDir: ./data\n#${"x".repeat(2_000_000)}\n`, /larger than 1024 KiB/],
    ["full of aliases", `${bomb.join("\n")}\n`, /more than 100000 values/],
    ["ambiguous", "dataDir: ./a\ndataDir: ./b\n", /nuncio\.yaml:2:1: dataDir: is given twice/],
    ["cut off", "dataDir: [\n", /nuncio\.yaml:2:1: /],
    ["no text", "dataDir: 5\n", /nuncio\.yaml:1:10: dataDir: /],
  ])("cannot be looked for in a configuration that `up` would refuse to read: %s", async (_what, text, said) => {
    config(text);
    const { code, stderr } = await cli("status");
    expect(code).toBe(2);
    expect(stderr).toMatch(said);
  });

  it("cannot be looked for in a device, which would never end", async () => {
    const { code, stderr } = await cli("status", "--config", "/dev/zero");
    expect(code).toBe(2);
    expect(stderr).toContain("is not a regular file");
  });

  it("takes NUNCIO_CONFIG where no --config is given", async () => {
    writeFileSync(join(directory, "mine.yaml"), "dataDir: ./somewhere\n");
    const { code, stderr } = await runCli(["status"], { cwd: directory, env: { NUNCIO_CONFIG: "mine.yaml" } });
    expect(code).toBe(3);
    expect(stderr).toContain(join(directory, "somewhere"));
  });

  it("could be there under a path that is too long for a socket, and that is said", async () => {
    config(`dataDir: ./${"long/".repeat(25)}\n`);
    for (const command of ["status", "up"]) {
      const { code, stderr } = await cli(command);
      expect(code).toBe(2);
      expect(stderr).toMatch(/control socket's path has \d+ bytes/);
      expect(stderr).toContain("shorter dataDir");
    }
  });
});

describe("nuncio init", () => {
  it("X6 writes a configuration that works at once, and never over another", async () => {
    const made = await cli("init", "mine", "--json");
    const file = join(directory, "mine", "nuncio.yaml");
    expect(made.json()).toEqual({ file });
    expect(made.stderr).toContain("nuncio up --config mine/nuncio.yaml");

    writeFileSync(file, readFileSync(file, "utf8").replace("port: 4700", "port: 0"));
    const up = startCli(["up"], { cwd: join(directory, "mine") });
    try {
      await new Promise<void>((resolve) => up.process.stderr.on("data", (text) => /^serving/m.test(text) && resolve()));
      const sent = await runCli(["send", "front-desk", "hello", "--wait"], { cwd: join(directory, "mine") });
      expect(sent).toMatchObject({ code: 0, stdout: "The librarian says: Good day. Ask me anything.\n" });
      expect(statSync(join(directory, "mine", "data", "control.sock")).mode & 0o777).toBe(0o600);
    } finally {
      up.process.kill("SIGTERM");
    }
    expect((await up.done).code).toBe(0);

    const before = readFileSync(file, "utf8");
    const again = await cli("init", "mine");
    expect(again.code).toBe(2);
    expect(readFileSync(file, "utf8")).toBe(before);
  });
});

it("says what to do where it is not built yet", async () => {
  mkdirSync(join(directory, "bin"));
  writeFileSync(join(directory, "package.json"), '{ "type": "module" }');
  copyFileSync(NUNCIO, join(directory, "bin", "nuncio"));
  const { status, stderr } = spawnSync(process.execPath, [join(directory, "bin", "nuncio")], { encoding: "utf8" });
  expect(status).toBe(2);
  expect(stderr).toContain("npm start -- --once");
});

it("fails in one sentence when its output cannot be written", () => {
  const full = openSync("/dev/full", "w");
  const { status, stderr } = spawnSync(process.execPath, [NUNCIO, "--help"], {
    encoding: "utf8",
    stdio: ["ignore", full, "pipe"],
  });
  closeSync(full);
  expect({ status, stderr }).toEqual({ status: 1, stderr: "error: standard output cannot be written: ENOSPC\n" });
});

it("keeps its exit code when nobody reads what it says beside the result", async () => {
  const failing = startCli(["status"], { cwd: directory });
  failing.process.stderr.destroy();
  expect((await failing.done).code).toBe(2);
});
