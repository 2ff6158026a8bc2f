import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formatProblem } from "./config-error.js";
import { loadConfig, parseConfig } from "./load-config.js";
import { starterConfig } from "./template.js";

const load = (text: string, env: NodeJS.ProcessEnv = {}) => parseConfig(text, "nuncio.yaml", env);
const warningsOf = async (text: string) => (await load(text)).warnings.map(formatProblem);

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "nuncio-config-"));
});
afterAll(() => rm(directory, { recursive: true }));

async function write(files: Record<string, string>): Promise<string> {
  const home = await mkdtemp(join(directory, "case-"));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(home, name, ".."), { recursive: true });
    await writeFile(join(home, name), text);
  }
  return join(home, "nuncio.yaml");
}

describe("defaults", () => {
  it("D14 without an a2a block the documented limits hold", async () => {
    const { config } = await load("personas: [{ name: a, runtime: scripted }]");
    expect(config.a2a).toEqual({
      maxHops: 4,
      maxConcurrentPerTarget: 1,
      maxAttempts: 3,
      maxChildrenPerTask: 20,
      maxTasksPerRoot: 200,
      maxTokensPerRoot: 2_000_000,
      maxCallsPerMinute: 60,
      credentials: [],
      versions: ["1.0", "0.3"],
      blockingTimeoutMs: 60_000,
      compat: "1.0.1",
      push: {
        maxPerTask: 10,
        maxAttempts: 12,
        backoffBaseMs: 5000,
        backoffMaxMs: 3_600_000,
        timeoutMs: 15_000,
        concurrency: 32,
      },
    });
    expect(config.queue).toEqual({
      concurrency: 5,
      leaseMs: 30_000,
      drainMs: 10_000,
      backoffBaseMs: 1000,
      backoffMaxMs: 60_000,
      maxProcesses: 16,
      maxPendingPerPersona: 10_000,
      maxPendingPerTenant: 100_000,
    });
    expect(config.server).toEqual({ host: "127.0.0.1", port: 4700, maxBodyBytes: 1_048_576, maxConnections: 10_000 });
    expect(config.access.anonymous).toBe(false);
  });

  it("D14 an empty block is the same as none, and the bounds themselves pass", async () => {
    expect((await load("a2a:\n  # maxHops: 9\n")).config.a2a.maxHops).toBe(4);
    const low = await load("a2a: { maxHops: 1, maxConcurrentPerTarget: 1, maxAttempts: 1 }");
    expect(low.config.a2a).toMatchObject({ maxHops: 1, maxConcurrentPerTarget: 1, maxAttempts: 1 });
    const high = await load("a2a: { maxHops: 32, maxConcurrentPerTarget: 100, maxAttempts: 20 }");
    expect(high.config.a2a).toMatchObject({ maxHops: 32, maxConcurrentPerTarget: 100, maxAttempts: 20 });
  });

  it.each([
    ["", "development"],
    ["server: { host: localhost }", "development"],
    ["server: { host: '::1' }", "development"],
    ["server: { host: 0.0.0.0 }", "production"],
    ["server: { publicBaseUrl: 'https://agents.example.com/' }", "production"],
    ["mode: production", "production"],
    ["mode: development\nserver: { host: 0.0.0.0 }", "development"],
  ])("mode of %j is %s", async (text, mode) => {
    expect((await load(text)).config.mode).toBe(mode);
  });

  it("paths are relative to the file, programs without a slash are left to PATH", async () => {
    const file = await write({
      "nuncio.yaml": `
dataDir: state
providers:
  near: { type: command, command: bin/agent, cwd: work, env: { LANG: C }, maxOutputBytes: 100 }
  far: { type: command, command: claude, args: ["-p"] }
personas:
  - { name: a, provider: near, systemPromptFile: prompts/a.md }
`,
      "prompts/a.md": "# The first\nBe brief.\n",
    });
    const { config, personas } = await loadConfig(file, {});
    const home = join(file, "..");
    expect(config.dataDir).toBe(join(home, "state"));
    expect(config.providers.near).toMatchObject({
      command: join(home, "bin/agent"),
      timeoutMs: 600_000,
      cwd: join(home, "work"),
      env: { LANG: "C" },
      maxOutputBytes: 100,
    });
    expect(config.providers.far).toMatchObject({ command: "claude", args: ["-p"], promptAs: "stdin" });
    expect(personas[0]).toMatchObject({
      description: "The first",
      runtime: { type: "command", provider: "near", systemPrompt: "# The first\nBe brief.\n" },
    });
  });
});

describe("variables", () => {
  const provider = "providers:\n  anthropic: { type: anthropic, apiKey: ${KEY} }\n";

  it("are put in inside a flow map, as docs write them, and never become structure", async () => {
    const { config } = await load(provider, { KEY: "k-1" });
    expect(config.providers.anthropic).toEqual({ type: "anthropic", apiKey: "k-1" });
    const hostile = "x, type: command }";
    const text = `personas: [{ name: a, runtime: scripted, description: \${TEXT} }]`;
    expect((await load(text, { TEXT: hostile })).personas[0]?.description).toBe(hostile);
  });

  it("may stand for a number or a truth value, and inside of text", async () => {
    const text = "server: { port: ${PORT}, publicBaseUrl: 'https://${HOST}/x' }\naccess: { anonymous: ${ANYONE} }";
    const { config } = await load(text, { PORT: "4800", HOST: "a.example", ANYONE: "false" });
    expect(config.server).toMatchObject({ host: "127.0.0.1", port: 4800, publicBaseUrl: "https://a.example/x" });
    expect(config.access.anonymous).toBe(false);
  });

  it("are left alone in comments, and other uses of $ are text", async () => {
    const text = "# ${UNSET}\npersonas: [{ name: a, runtime: scripted, description: '$HOME {{x}} $ {A} ${1}' }]";
    expect((await load(text)).personas[0]?.description).toBe("$HOME {{x}} $ {A} ${1}");
  });

  it("an error shows the variable, not what it holds", async () => {
    const refused = load(provider, { KEY: "top secret" });
    await expect(refused).rejects.toThrow(
      /^nuncio.yaml:2:41: providers.anthropic.apiKey: \$\{KEY\} contains spaces, line breaks/,
    );
    await expect(load(provider, { KEY: "" })).rejects.toThrow(
      "nuncio.yaml:2:41: providers.anthropic.apiKey: ${KEY} is empty; use a key",
    );
  });
});

describe("overrides of the environment", () => {
  const personas =
    "personas:\n  - { name: a, runtime: scripted, visibility: public }\n  - { name: b, runtime: scripted }\n";

  it("win over the file, and empty ones do not count", async () => {
    const env = { NUNCIO_PUBLIC_BASE_URL: "https://agents.example.com/", NUNCIO_A2A_DEFAULT_AGENT: "a" };
    const { config } = await load(`${personas}server: { publicBaseUrl: "https://old.example" }`, env);
    expect(config.server.publicBaseUrl).toBe("https://agents.example.com");
    expect(config.a2a.defaultAgent).toBe("a");
    expect(config.mode).toBe("production");
    const empty = await load(personas, { NUNCIO_PUBLIC_BASE_URL: "", NUNCIO_A2A_DEFAULT_AGENT: "" });
    expect(empty.config.server.publicBaseUrl).toBeUndefined();
  });

  it.each([
    [
      { NUNCIO_A2A_DEFAULT_AGENT: "b" },
      'NUNCIO_A2A_DEFAULT_AGENT is "b", which is private; give it visibility: public, or use a',
    ],
    [{ NUNCIO_A2A_DEFAULT_AGENT: "../x" }, "NUNCIO_A2A_DEFAULT_AGENT is not valid; use 1 to 64 letters"],
    [
      { NUNCIO_PUBLIC_BASE_URL: "agents" },
      "server.publicBaseUrl: NUNCIO_PUBLIC_BASE_URL is not a plain URL; use http://",
    ],
  ])("are checked like the file: %j", async (env, message) => {
    await expect(load(personas, env)).rejects.toThrow(message);
  });

  it("access.anonymous is refused when the environment sets a public URL", async () => {
    const refused = load("access:\n  anonymous: true\n", { NUNCIO_PUBLIC_BASE_URL: "https://a.example" });
    await expect(refused).rejects.toThrow(
      "nuncio.yaml:2:14: access.anonymous: true is refused while NUNCIO_PUBLIC_BASE_URL is set; use false, or remove the public URL",
    );
  });
});

describe("personas", () => {
  it("take their defaults, and a script is compiled and normalized", async () => {
    const { personas } = await load(`
personas:
  - name: a
    runtime: scripted
    script:
      - when: { text: "^report on (.+)", turn: 1 }
        steps:
          - send: { to: b, message: "{{input.text}}", as: facts }
          - fail: broken
          - fail: { text: broken, retryable: true, attempts: 2 }
          - tool: { name: persona_list }
          - artifact: { name: all, parts: [{ text: t }, { data: null }, { raw: aGk=, mediaType: text/plain }, { url: "https://x" }] }
          - hang: true
`);
    expect(personas[0]).toMatchObject({
      tenant: "default",
      visibility: "private",
      maxConcurrent: 2,
      description: "",
      streaming: true,
      push: true,
      extendedCard: true,
      followUps: true,
      skills: [],
      capabilities: { allow: [], requireApproval: [] },
    });
    expect(personas[0]?.runtime).toEqual({
      type: "scripted",
      rules: [
        {
          when: { text: /^report on (.+)/, turn: 1 },
          steps: [
            { send: { to: "b", message: "{{input.text}}", await: false, as: "facts" } },
            { fail: { text: "broken", retryable: false } },
            { fail: { text: "broken", retryable: true, attempts: 2 } },
            { tool: { name: "persona_list", with: {} } },
            {
              artifact: {
                name: "all",
                parts: [{ text: "t" }, { data: null }, { raw: "aGk=", mediaType: "text/plain" }, { url: "https://x" }],
              },
            },
            { hang: true },
          ],
        },
      ],
    });
  });

  it("a model persona names no provider and runs on anthropic, whose key is not asked for", async () => {
    const { config, personas } = await load("personas: [{ name: a, model: claude-sonnet-4-6 }]");
    expect(config.providers).toEqual({ anthropic: { type: "anthropic" } });
    expect(personas[0]?.runtime).toEqual({
      type: "model",
      provider: "anthropic",
      model: "claude-sonnet-4-6",
      systemPrompt: "",
      maxSteps: 50,
      timeoutMs: 600_000,
    });
  });

  it("the same name may stand in two tenants", async () => {
    const { personas } = await load(
      "personas: [{ name: a, runtime: scripted }, { name: a, tenant: other, runtime: scripted }]",
    );
    expect(personas.map((persona) => persona.tenant)).toEqual(["default", "other"]);
  });

  it("E7 keep their policy, and without one have none", async () => {
    const policy = `{ mode: enforce, a2aTargets: ["https://agents.example.com/*"],
      a2aInbound: { agents: ["spiffe://example.com/*"], maxA2AInboundPerMinute: 30 } }`;
    const { personas } = await load(
      `personas: [{ name: a, runtime: scripted, policy: ${policy} }, { name: b, runtime: scripted }]`,
    );
    expect(personas[0]?.policy).toEqual({
      mode: "enforce",
      tools: [],
      a2aTargets: ["https://agents.example.com/*"],
      egressHosts: [],
      a2aInbound: { agents: ["spiffe://example.com/*"], maxA2AInboundPerMinute: 30 },
    });
    expect(personas[1]?.policy).toBeUndefined();
  });

  it("a given description wins over the prompt file", async () => {
    const file = await write({
      "nuncio.yaml": "personas: [{ name: a, model: m, description: mine, systemPromptFile: p.md }]",
      "p.md": "# The file's\n",
    });
    expect((await loadConfig(file, {})).personas[0]?.description).toBe("mine");
  });
});

describe("what is named and not configured", () => {
  /** The example of the delegation guide, line for line. */
  const orchestratorPattern = `personas:
  - name: orchestrator
    model: claude-sonnet-4-6
    systemPromptFile: personas/orchestrator/system.md
    capabilities:
      allow:
        - persona.send:*
        - channel.send:my-slack

  - name: researcher
    model: claude-sonnet-4-6
    systemPromptFile: personas/researcher/system.md
    skills:
      - web-search
    capabilities:
      allow:
        - net.http

  - name: writer
    model: claude-sonnet-4-6
    systemPromptFile: personas/writer/system.md
    capabilities:
      allow:
        - channel.send:my-slack
`;

  it("D15 the orchestrator pattern loads as it stands, with a located warning for each such name", async () => {
    const file = await write({
      "nuncio.yaml": orchestratorPattern,
      "personas/orchestrator/system.md": "# Orchestrates\n",
      "personas/researcher/system.md": "# Research assistant\n",
      "personas/writer/system.md": "# Content writer\n",
    });
    const { config, personas, warnings } = await loadConfig(file, {});
    expect(config.mode).toBe("development");
    expect(personas.map(({ name, description }) => [name, description])).toEqual([
      ["orchestrator", "Orchestrates"],
      ["researcher", "Research assistant"],
      ["writer", "Content writer"],
    ]);
    expect(
      personas.every((persona) => persona.runtime.type === "model" && persona.runtime.provider === "anthropic"),
    ).toBe(true);
    expect(personas[0]?.capabilities.allow).toEqual(["persona.send:*", "channel.send:my-slack"]);
    expect(
      warnings.map(({ line, column, message }) => [line, column, message.split(":").slice(0, 2).join(":")]),
    ).toEqual([
      [8, 11, "channel.send:my-slack gives no tool"],
      [
        14,
        9,
        "web-search is a name only: it is shown in cards and lists, but no skills/web-search/SKILL.md says what it is",
      ],
      [24, 11, "channel.send:my-slack gives no tool"],
    ]);
  });

  it("warns of an approval for calls of what is not there", async () => {
    const text = `personas:
  - name: a
    runtime: scripted
    capabilities: { allow: ["persona.send:*", "net.http"], requireApproval: [net.http, "persona.send:*", persona.send:nobody] }
`;
    expect(await warningsOf(text)).toEqual([
      "nuncio.yaml:4:106: personas[0].capabilities.requireApproval[2]: persona.send:nobody holds up no call: no persona nobody is configured in tenant default",
    ]);
  });

  it("warns of targets that are not there and of sends that will be refused", async () => {
    const text = `personas:
  - name: a
    runtime: scripted
    capabilities: { allow: [persona.send:ghost, persona.send, mcp.files:read, no.thing, channel.send, "channel.send:*"] }
    script:
      - steps:
          - send: { to: b, message: hi }
          - send: { to: nobody, message: hi }
          - send: { to: "{{input.text}}", message: hi }
          - call: { url: "https://agents.example.com/x", message: hi }
          - call: { url: "{{input.text}}", message: hi }
  - { name: b, runtime: scripted }
`;
    expect(await warningsOf(text)).toEqual([
      "nuncio.yaml:4:29: personas[0].capabilities.allow[0]: persona.send:ghost gives no tool: no persona ghost is configured in tenant default",
      "nuncio.yaml:4:49: personas[0].capabilities.allow[1]: persona.send gives no tool: it names no target; use persona.send:* or persona.send:NAME",
      "nuncio.yaml:4:63: personas[0].capabilities.allow[2]: mcp.files:read gives no tool: no server files is configured",
      "nuncio.yaml:4:79: personas[0].capabilities.allow[3]: no.thing gives no tool: no tool asks for this capability",
      "nuncio.yaml:4:89: personas[0].capabilities.allow[4]: channel.send gives no tool: it names no channel; use channel.send:* or channel.send:NAME",
      "nuncio.yaml:4:103: personas[0].capabilities.allow[5]: channel.send:* gives no tool: no channel is configured",
      "nuncio.yaml:7:25: personas[0].script[0].steps[0].send.to: a lacks the capability persona.send:b; this step will be refused",
      'nuncio.yaml:8:25: personas[0].script[0].steps[1].send.to: no persona "nobody" is configured in tenant default; this step will fail',
      "nuncio.yaml:10:26: personas[0].script[0].steps[3].call.url: the policy of a does not let it call this agent; this step will be refused",
    ]);
  });

  it("X13 warns of sealing keys that other nodes would not have", async () => {
    const nodes = (more: string) => `storage: { type: postgres, url: "postgres://h/d" }
personas: [{ name: a, runtime: scripted }]
${more}`;
    expect(await warningsOf(nodes(""))).toEqual([
      "nuncio.yaml:1:18: storage.type: several nodes must have the same sealing keys; set access.sealingKeyFile to a file that all of them share",
    ]);
    expect(await warningsOf(nodes("access: { sealingKeyFile: shared/sealing.json }"))).toEqual([]);
  });

  it("says which sections have no effect in this version", async () => {
    const text = `server: { grpcPort: 4701, grpcPublicUrl: "agents.example.com:443" }
console: { port: 4710 }
personas:
  - { name: a, runtime: scripted, policy: { mode: enforce, tools: [a2a_call] } }
`;
    expect(await warningsOf(text)).toEqual([
      "nuncio.yaml:2:10: console: has no effect: the console is not available in this version",
      "nuncio.yaml:4:68: personas[0].policy.tools[0]: a can call nobody: a2aTargets names no agent; add URLs such as https://agents.example.com/*",
    ]);
    expect(await warningsOf("console: false\npersonas: [{ name: a, runtime: scripted }]")).toEqual([]);
  });
});

describe("the file for a first start", () => {
  it("loads without a key and without a warning", async () => {
    const { config, personas, warnings } = await load(starterConfig);
    expect(warnings).toEqual([]);
    expect(config.access.anonymous).toBe(true);
    expect(config.a2a.defaultAgent).toBe("front-desk");
    expect(personas.map((persona) => persona.runtime.type)).toEqual(["scripted", "scripted"]);
  });

  it("loads, too, when its comments are made settings", async () => {
    const uncommented = starterConfig
      .replace(/^( *)# ((?: {2}|- |providers:).*)$/gm, "$1$2")
      .replace(/^ {2}nuncio.*$/gm, "");
    const file = await write({ "nuncio.yaml": uncommented, "personas/assistant/system.md": "# Helps\n" });
    const { config, personas } = await loadConfig(file, {});
    expect(personas.map((persona) => persona.name)).toEqual(["front-desk", "librarian", "assistant"]);
    expect(Object.keys(config.providers).sort()).toEqual(["anthropic", "claude", "local"]);
  });
});

describe("examples", () => {
  const examples = join(import.meta.dirname, "../../examples");

  it("the orchestrator example needs no key and gives no warning", async () => {
    const { config, personas, warnings } = await loadConfig(join(examples, "orchestrator/nuncio.yaml"), {});
    expect(warnings).toEqual([]);
    expect(config).toMatchObject({
      access: { anonymous: true },
      a2a: { defaultAgent: "orchestrator" },
      mode: "development",
    });
    expect(personas.map((persona) => persona.runtime.type)).toEqual(["scripted", "scripted", "scripted"]);
  });

  it("D15 the same three personas on a model load without a key", async () => {
    const { personas } = await loadConfig(join(examples, "orchestrator-model/nuncio.yaml"), {});
    expect(personas.map((persona) => persona.name)).toEqual(["orchestrator", "researcher", "writer"]);
    expect(personas.every((persona) => persona.runtime.type === "model" && persona.runtime.systemPrompt !== "")).toBe(
      true,
    );
    expect(personas.every((persona) => persona.description !== "")).toBe(true);
  });
});
