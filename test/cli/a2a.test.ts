import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type ControlClient, connect } from "../../src/client/control-client.js";
import { controlSocketPath } from "../../src/shared/control-socket.js";
import { daemonDirectory, spawnDaemon } from "../support/daemon/daemon-process.js";
import { startForeignAgent, startRawAgent } from "../support/foreign-agents.js";
import { type CliOptions, runCli, startCli } from "../support/run-cli.js";

const scripted = (name: string, ...script: object[]) => ({ name, runtime: "scripted", script });

/** Nobody is let in without a credential, and no key has been made: the operator needs none. */
const config = {
  access: { anonymous: false },
  personas: [
    {
      ...scripted(
        "front-desk",
        { when: { turn: 2 }, steps: [{ reply: "you said {{input.text}}" }] },
        { when: { text: "^ask" }, steps: [{ ask: "which one?" }] },
        { when: { text: "^bare" }, steps: [{ message: "just {{input.text}}" }] },
        {
          when: { text: "^stream" },
          steps: [{ status: "thinking" }, { chunk: "one " }, { chunk: "two " }, { reply: "three" }],
        },
        { when: { text: "^fail" }, steps: [{ fail: "it went wrong" }] },
        { when: { text: "^hang" }, steps: [{ status: "hanging" }, { hang: true }] },
        { when: { text: "^rude" }, steps: [{ reply: "\u001b[2J\u001b]0;gotcha\u0007over\rwritten" }] },
      ),
      visibility: "public",
      description: "Answers \u001b[31m what is asked",
    },
    { ...scripted("quiet"), streaming: false },
    { ...scripted("elsewhere"), tenant: "acme" },
  ],
};

let configFile: string;
let url: string;
/** What the operator may do besides, without a process for each. */
let control: ControlClient;
let stop: () => Promise<void>;
let log: () => string;

beforeAll(async () => {
  const place = daemonDirectory(config, {});
  const running = spawnDaemon(place.configFile, {});
  const said: string[] = [];
  running.process.stdout?.on("data", (text) => said.push(String(text)));
  running.process.stderr?.on("data", (text) => said.push(String(text)));
  url = await running.serving;
  configFile = place.configFile;
  control = connect(controlSocketPath(place.dataDir));
  log = () => said.join("");
  stop = async () => {
    running.process.kill("SIGKILL");
    await running.exited;
    place.remove();
  };
});
afterAll(() => stop());

const cli = (args: string[], options?: CliOptions) => runCli(["a2a", ...args, "--config", configFile], options);

function tokenFile(token: string): string {
  const directory = mkdtempSync(join(tmpdir(), "nuncio-token-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, "token");
  writeFileSync(file, `${token}\n`);
  return file;
}

describe("an agent of the daemon", () => {
  it("E15 shows its card", async () => {
    const [card, json] = await Promise.all([cli(["card", "front-desk"]), cli(["card", "front-desk", "--json"])]);
    expect(card).toMatchObject({ code: 0, stderr: "" });
    expect(card.stdout).toContain("front-desk");
    expect(card.stdout).toContain("Answers ␛[31m what is asked");
    expect(card.stdout).toContain(`1.0 JSONRPC ${url}/v1/agents/front-desk/a2a`);
    expect(json.json()).toMatchObject({ name: "front-desk" });
  });

  it("E15 answers, and its task shows with trigger a2a", async () => {
    expect(await cli(["send", "front-desk", "hello", "--wait"])).toMatchObject({
      code: 0,
      stdout: "hello\n",
      stderr: "",
    });
    const begun = await cli(["send", "front-desk", "hello again"]);
    expect(begun.stderr).toMatch(/^next: `nuncio task watch \S+ --config/);
    const { tasks } = await control.tasks();
    expect(tasks[0]).toMatchObject({
      id: begun.stdout.trim(),
      trigger: "a2a",
      persona: "front-desk",
      principal: "operator",
    });
  });

  it("E15 streams, piece by piece", async () => {
    const streamed = await cli(["send", "front-desk", "stream", "--stream"]);
    expect(streamed).toMatchObject({ code: 0, stderr: "" });
    expect(streamed.stdout).toMatch(/^· submitted\n(?:· working\n)?· working: thinking\none two three\n· completed\n$/);
  });

  it("E15 answers with one JSON document", async () => {
    const sent = await cli(["send", "front-desk", "stream", "--wait", "--json"]);
    expect(sent.json()).toMatchObject({
      task: { status: { state: "TASK_STATE_COMPLETED" }, artifacts: [{ parts: [{ text: "one two three" }] }] },
      message: null,
    });
  });

  it("E15 asks, and goes on when it is answered in the same task", async () => {
    const asked = await cli(["send", "front-desk", "ask", "--wait"]);
    expect(asked).toMatchObject({ code: 0, stdout: "which one?\n" });
    const [, id = ""] = /--task (\S+) --config/.exec(asked.stderr) ?? [];
    expect(await cli(["send", "front-desk", "this one", "--task", id, "--wait"])).toMatchObject({
      code: 0,
      stdout: "you said this one\n",
    });
    expect(await cli(["send", "front-desk", "more", "--task", id])).toMatchObject({ code: 2, stdout: "" });
  });

  it.each([
    ["a message and no task", ["bare words", "--wait"], 0, "just bare words\n", ""],
    ["a failure", ["fail", "--wait"], 1, "", "failed: it went wrong\n"],
    ["text for a terminal to fear", ["rude", "--wait"], 0, "␛[2J␛]0;gotcha␇over␍written\n", ""],
  ])("E15 %s", async (_case, args, code, stdout, stderr) => {
    const sent = await cli(["send", "front-desk", ...args]);
    expect(sent).toMatchObject({ code, stdout });
    expect(sent.stderr.startsWith(stderr)).toBe(true);
  });

  it("E15 works without streams, and in another tenant", async () => {
    expect(await cli(["send", "quiet", "hello", "--stream"])).toMatchObject({
      code: 0,
      stdout: "· completed\nhello\n",
    });
    expect(await cli(["send", "elsewhere", "hello", "--wait", "--tenant", "acme"])).toMatchObject({
      code: 0,
      stdout: "hello\n",
    });
  });

  it("E15 goes on without whoever has left", async () => {
    const sending = startCli(["a2a", "send", "front-desk", "hang", "--stream", "--config", configFile]);
    await sending.untilPrinted("hanging");
    sending.process.kill("SIGINT");
    const left = await sending.done;
    expect(left.code).toBe(130);
    const [, id = ""] = /^task (\S+) goes on without you/.exec(left.stderr) ?? [];
    expect(await control.task(id)).toMatchObject({ state: "processing" });
  });

  it("E15 explains what is wrong with a command", async () => {
    const mistakes: [string[], RegExp][] = [
      [["send", "nobody", "hello"], /persona "nobody" is not loaded\n.*front-desk, quiet/],
      [["send", "https://x/", "x", "--token-file", "/none/such"], /does not exist/],
      [["card", "http://user:pw@x/"], /must not contain a user name/],
      [["card", "http://169.254.169.254/"], /does not lead to a public address/],
    ];
    await Promise.all(
      mistakes.map(async ([args, words]) => {
        const refused = await cli(args);
        expect(refused).toMatchObject({ code: 2, stdout: "" });
        expect(refused.stderr).toMatch(words);
        expect(refused.stderr).not.toMatch(/\n\s+at |pw/);
      }),
    );
  });
});

describe("an agent at a URL", () => {
  it("E15 E5 is shown the token of a file or of the environment, and nobody else is", async () => {
    const agent = `${url}/v1/agents/front-desk/a2a`;
    const { key } = await control.createKey({ name: "caller" });
    expect(await cli(["send", agent, "hello"])).toMatchObject({ code: 1, stdout: "" });
    expect(await cli(["send", agent, "hello", "--wait", "--token-file", tokenFile(key)])).toMatchObject({
      code: 0,
      stdout: "hello\n",
    });
    const streamed = await cli(["send", agent, "stream", "--stream"], { env: { NUNCIO_A2A_TOKEN: key } });
    expect(streamed).toMatchObject({ code: 0, stderr: "" });
    expect(streamed.stdout).toContain("one two three\n");
    const wrong = await cli(["send", agent, "hello", "--json"], { env: { NUNCIO_A2A_TOKEN: `${key}x` } });
    expect(wrong.json()).toMatchObject({ error: { code: "unauthenticated" } });
    expect(log() + JSON.stringify(wrong)).not.toContain(key);
  });

  it("E15 of somebody else shows its card, answers and streams", async () => {
    const agent = await startForeignAgent("1.0 HTTP+JSON");
    onTestFinished(() => agent.stop());
    expect((await cli(["card", agent.url])).stdout).toContain("An agent of somebody else");
    expect((await cli(["send", agent.url, "hello", "--stream"])).stdout).toContain("echo: hello\n");
    const begun = await cli(["send", agent.url, "hello", "--json"]);
    expect(begun.json()).toMatchObject({ task: { id: expect.any(String) }, message: null });
  });

  it("E15 that does not say what has come of a message leaves it unknown, and is not asked twice", async () => {
    const agent = await startRawAgent((request) => void request.socket.destroy(), { capabilities: {} });
    onTestFinished(() => agent.stop());
    const sent = await cli(["send", agent.url, "hello", "--wait"]);
    expect(sent).toMatchObject({ code: 1, stdout: "" });
    expect(sent.stderr).toMatch(/whether the agent has taken the message is not known\n.*--message-id/);
    expect(agent.asked).toHaveLength(1);
  });
});
