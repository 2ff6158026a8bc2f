import { chmodSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ControlClient, connect } from "../../src/client/control-client.js";
import { controlSocketPath } from "../../src/shared/control-socket.js";
import { HandAgent, sends } from "../support/calls/hand-agent.js";
import {
  type DaemonDirectory,
  type DaemonProcess,
  daemonDirectory,
  spawnDaemon,
} from "../support/daemon/daemon-process.js";
import { allTasks, resultOf, untilLine, untilSettled } from "../support/daemon/watch.js";
import { type ForeignAgent, type ForeignBinding, startForeignAgent, startRawAgent } from "../support/foreign-agents.js";

const BINDINGS: ForeignBinding[] = ["1.0 JSONRPC", "1.0 HTTP+JSON", "0.3 JSONRPC"];
const CANARY = "canary-of-a-key-that-goes-nowhere-else";

const task = (id: string, state: string, text?: string) => ({
  ...{ id, contextId: "c0de", status: { state: `TASK_STATE_${state}` } },
  ...(text !== undefined && { artifacts: [{ artifactId: "a", parts: [{ text }] }] }),
});

const hand = new HandAgent();
const foreign = new Map<ForeignBinding, ForeignAgent>();
let unlisted: ForeignAgent;
let place: DaemonDirectory;
let running: DaemonProcess;
let client: ControlClient;
const logs: string[] = [];

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function start(): Promise<void> {
  running = spawnDaemon(place.configFile, {});
  for (const output of [running.process.stdout, running.process.stderr])
    output?.on("data", (text) => logs.push(String(text)));
  await running.serving;
}
async function killAndStart(): Promise<void> {
  running.process.kill("SIGKILL");
  await running.exited;
  await start();
}

beforeAll(async () => {
  await hand.start();
  for (const binding of BINDINGS) foreign.set(binding, await startForeignAgent(binding));
  unlisted = await startRawAgent((_request, response) => response.end());
  const port = await freePort();
  const own = `http://127.0.0.1:${port}/v1/agents`;
  const listed = [hand, ...foreign.values()].map(({ url }) => new URL(url).host);
  const policy = {
    mode: "enforce",
    tools: ["a2a_call"],
    a2aTargets: [...listed, new URL(unlisted.url).host, `127.0.0.1:${port}`].map((host) => `http://${host}/*`),
    egressHosts: ["127.0.0.1"],
    a2aInbound: { agents: ["spiffe://example.com/*"] },
  };
  const call = (args: object, as: string) => ({ tool: { name: "a2a_call", with: args, as } });
  /** Has the URL as the first word, the message as the rest. */
  const caller = (name: string, ...script: object[]) => ({
    name,
    runtime: "scripted",
    maxConcurrent: 8,
    policy,
    script,
  });
  const SAY = "{{results.r.status}}|{{results.r}}|{{results.r.error}}|{{results.r.reason}}";
  place = daemonDirectory(
    {
      server: { port },
      // A persona that waits for an agent outside must hold none of these.
      queue: { concurrency: 1 },
      access: { anonymous: true, trustDomain: "example.com" },
      outbound: { allow: [...listed, `127.0.0.1:${port}`] },
      a2a: {
        maxHops: 2,
        credentials: [
          { target: `${hand.url}/*`, file: "credentials/hand.json" },
          { target: `${own}/*`, file: "credentials/own.json", audience: "spiffe://example.com/agents/circle" },
        ],
      },
      personas: [
        caller(
          "asker",
          {
            when: { text: "^hang$" },
            steps: [
              call(
                { agentUrl: (foreign.get("1.0 JSONRPC") as ForeignAgent).url, message: "hang", timeout_ms: 1100 },
                "r",
              ),
              { reply: "{{results.r.status}}" },
            ],
          },
          ...BINDINGS.map((binding) => {
            const agentUrl = (foreign.get(binding) as ForeignAgent).url;
            return {
              when: { text: `^${binding.replace("+", ".")}$` },
              steps: [
                call({ agentUrl, message: "hello" }, "r"),
                call({ agentUrl, message: "ask" }, "q"),
                call({ agentUrl, message: "this one", task_id: "{{results.q.task_id}}" }, "f"),
                call({ agentUrl, message: "bare one" }, "b"),
                {
                  reply:
                    "{{results.r.reply}}|{{results.q.status}} {{results.q.asks}}|{{results.f.reply}}|{{results.b.reply}}",
                },
              ],
            };
          }),
        ),
        caller(
          "hand-caller",
          {
            when: { text: "^elsewhere$" },
            steps: [{ call: { url: unlisted.url, message: "x", as: "r" } }, { reply: SAY }],
          },
          {
            steps: [call({ agentUrl: hand.url, message: "{{input.text}}", timeout_ms: 600_000 }, "r"), { reply: SAY }],
          },
        ),
        { name: "echo", runtime: "scripted", script: [] },
        {
          ...{ name: "flow", runtime: "workflow", policy, capabilities: { allow: ["persona.send:echo"] } },
          nodes: [
            {
              ...{ id: "ask", tool: "a2a_call" },
              with: { agentUrl: (foreign.get("1.0 JSONRPC") as ForeignAgent).url, message: "{{input.message}}" },
            },
            { id: "told", persona: "echo", with: { message: "It says: {{nodes.ask.output}}" }, needs: ["ask"] },
          ],
        },
        {
          ...caller("circle", {
            steps: [
              { call: { url: `${own}/circle/a2a`, message: "round", as: "r" } },
              { reply: `({{results.r}}{{results.r.reason}})` },
            ],
          }),
          visibility: "public",
        },
      ],
    },
    {
      files: {
        "credentials/hand.json": JSON.stringify({ schema: 1, type: "apiKey", header: "X-Api-Key", value: CANARY }),
        "credentials/own.json": JSON.stringify({ schema: 1, type: "agentToken" }),
      },
    },
  );
  for (const file of ["hand.json", "own.json"]) chmodSync(join(place.configFile, "..", "credentials", file), 0o600);
  await start();
  client = connect(controlSocketPath(place.dataDir));
});
afterAll(async () => {
  running.process.kill("SIGKILL");
  await running.exited;
  place.remove();
  for (const agent of [hand, unlisted, ...foreign.values()]) await agent.stop();
});

const send = async (persona: string, text: string) => (await client.send({ persona, text })).id;
const answered = async (id: string) => resultOf(await untilSettled(client, id));

describe("a2a_call of a daemon", () => {
  it.each(BINDINGS)("E16 calls agents of %s, is asked by them and answers in the same task", async (binding) => {
    expect(await answered(await send("asker", binding))).toBe(
      "echo: hello|input_required which one?|echo: this one|just bare one",
    );
  });

  it("E18 is a node of a workflow, and what it brings reaches the next persona fenced", async () => {
    expect(await answered(await send("flow", "hello"))).toMatch(
      /^It says: \{"status":"completed".*\}\n--- data (\w{32}): reply, said by the agent at .* ---\necho: hello\n--- end of data \1 ---$/s,
    );
  });

  it("E16 does not wait for longer than it was told to, though the agent streams on", async () => {
    expect(await answered(await send("asker", "hang"))).toBe("timeout");
  });

  it("R4 E16 does not open what the way out does not let through, though the policy does", async () => {
    expect(await answered(await send("hand-caller", "elsewhere"))).toMatch(/^refused\|.*\|OUTBOUND_ADDRESS_REFUSED$/);
  });

  it("E19 D13 speaks as its persona to an agent of its own trust domain, and a circle ends at maxHops", async () => {
    expect(await answered(await send("circle", "go"))).toBe("(((maxHops)))");
    const circles = (await allTasks(client)).filter(({ persona }) => persona === "circle");
    expect(circles.map(({ trigger, principal }) => [trigger, principal])).toEqual([
      ["a2a", "agent:spiffe://example.com/agents/circle"],
      ["a2a", "agent:spiffe://example.com/agents/circle"],
      expect.anything(),
    ]);
  });
});

describe("E16 P10 a daemon that is killed", () => {
  it("before the message went out sends it once afterwards", async () => {
    const asked = new Promise<void>((resolve) => {
      hand.holdsCard = resolve;
    });
    const id = await send("hand-caller", "before");
    await asked;
    hand.holdsCard = undefined;
    hand.reply = (one) => (sends("before")(one) ? { task: task("b1", "COMPLETED", "done") } : undefined);
    await killAndStart();
    expect(await answered(id)).toMatch(/^completed\|done\|/);
    expect(hand.sent("before")).toBe(1);
  });

  it("after the message went out, and before it was taken up, says that nobody knows, and sends nothing", async () => {
    hand.reply = () => undefined;
    const id = await send("hand-caller", "after");
    await hand.when(sends("after"));
    await killAndStart();
    expect(await answered(id)).toMatch(/^unknown\|.*it is not sent again.*\|OUTCOME_UNKNOWN$/);
    expect(hand.sent("after")).toBe(1);
  });

  it("X17 after it was taken up goes on looking at the task that is known; meanwhile the only slot is free", async () => {
    let done = false;
    hand.reply = (one) => {
      if (sends("taken")(one)) return { task: task("7a4e", "WORKING") };
      return done ? task("7a4e", "COMPLETED", "late") : task("7a4e", "WORKING");
    };
    const id = await send("hand-caller", "taken");
    await untilLine(
      client,
      id,
      (line) => line.type === "event" && line.event.type === "status" && line.event.waitingFor === "reply",
    );
    expect((await client.task(id)).why).toMatch(/^Waiting for the agent at http:\/\/\S+; it looks again in /);
    expect(await answered(await send("echo", "still here"))).toBe("still here");
    await killAndStart();
    done = true;
    expect(await answered(id)).toMatch(/^completed\|late\|/);
    expect(hand.sent("taken")).toBe(1);
  });

  it("D19 asks the agent to stop when the task is canceled that waits for it", async () => {
    hand.reply = (one) => (sends("cancel me")(one) ? { task: task("dead", "WORKING") } : task("dead", "WORKING"));
    const id = await send("hand-caller", "cancel me");
    await untilLine(
      client,
      id,
      (line) => line.type === "event" && line.event.type === "status" && line.event.waitingFor === "reply",
    );
    await client.cancel(id, "not wanted");
    const { params } = await hand.when(({ method }) => method === "CancelTask");
    expect(params).toMatchObject({ id: "dead" });
  });
});

describe("E19 R7 the credential for an agent", () => {
  it("is shown to the agent, and stands in no result, log or ledger, though the agent says it", async () => {
    hand.reply = (one) =>
      sends("secret")(one) ? { task: task("5ec", "COMPLETED", `you said ${one.key}`) } : undefined;
    const id = await send("hand-caller", "secret");
    expect(await answered(id)).toBe("completed|you said […]||");
    const { key } = await hand.when(sends("secret"));
    expect(key).toBe(CANARY);
    expect(JSON.stringify([await client.task(id), await client.events(id)])).not.toContain(CANARY);
    expect(logs.join("")).not.toContain(CANARY);
    for (const entry of readdirSync(place.dataDir, { recursive: true })) {
      const file = join(place.dataDir, String(entry));
      if (statSync(file).isFile()) expect(readFileSync(file).includes(CANARY), file).toBe(false);
    }
  });

  it("that others can read is not used; the log says why, and the persona is not told which file it is", async () => {
    const file = join(place.configFile, "..", "credentials", "hand.json");
    chmodSync(file, 0o644);
    const result = await answered(await send("hand-caller", "loose"));
    chmodSync(file, 0o600);
    expect(result).toMatch(/^refused\|.*\|CREDENTIAL_UNUSABLE$/);
    expect(result).not.toContain("hand.json");
    expect(logs.join("")).toContain("has mode 0644");
    expect(hand.sent("loose")).toBe(0);
  });
});
