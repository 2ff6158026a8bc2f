// cspell:ignore maxhop antropic ecre yamlish
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NuncioError } from "../shared/errors.js";
import { ConfigError } from "./config-error.js";
import { loadConfig, parseConfig } from "./load-config.js";

const refusal = async (text: string, env: NodeJS.ProcessEnv = {}): Promise<string> => {
  try {
    await parseConfig(text, "nuncio.yaml", env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return "accepted";
};

const scripted = (...lines: string[]): string =>
  ["personas:", "  - name: x", "    runtime: scripted", ...lines.map((line) => `    ${line}`), ""].join("\n");
const steps = (...items: string[]): string =>
  scripted("script:", "  - steps:", ...items.map((item) => `      - ${item}`));

const nameRule = "use 1 to 64 letters, digits, '.', '_' or '-', a letter or digit first and last";

describe("a wrong value is refused with its place, the value and what would be right", () => {
  it.each([
    [
      "E7 a pattern for hosts",
      scripted('policy: { mode: enforce, a2aTargets: ["https://*.example.com/*"] }'),
      'nuncio.yaml:4:43: personas[0].policy.a2aTargets[0]: "https://*.example.com/*" is no URL of agents; use http:// or https:// with a whole host, and * only at the end, such as https://agents.example.com/*',
    ],
    [
      "E7 a part of a trust domain",
      scripted('policy: { mode: enforce, a2aInbound: { agents: ["spiffe://example*"] } }'),
      'nuncio.yaml:4:53: personas[0].policy.a2aInbound.agents[0]: "spiffe://example*" is no SPIFFE id of agents; use spiffe:// with a whole trust domain, and * only at the end, such as spiffe://example.com/*',
    ],
    [
      "D14 above the bound",
      "a2a:\n  maxHops: 99\n",
      "nuncio.yaml:2:12: a2a.maxHops: 99 is out of bounds; use a whole number from 1 to 32",
    ],
    [
      "D14 below the bound",
      "a2a:\n  maxHops: 0\n",
      "nuncio.yaml:2:12: a2a.maxHops: 0 is out of bounds; use a whole number from 1 to 32",
    ],
    [
      "D14 hops, one over",
      "a2a: { maxHops: 33 }",
      "nuncio.yaml:1:17: a2a.maxHops: 33 is out of bounds; use a whole number from 1 to 32",
    ],
    [
      "D14 per target",
      "a2a:\n  maxConcurrentPerTarget: 101\n",
      "nuncio.yaml:2:27: a2a.maxConcurrentPerTarget: 101 is out of bounds; use a whole number from 1 to 100",
    ],
    [
      "D14 attempts",
      "a2a:\n  maxAttempts: 21\n",
      "nuncio.yaml:2:16: a2a.maxAttempts: 21 is out of bounds; use a whole number from 1 to 20",
    ],
    [
      "D14 negative",
      "a2a:\n  maxAttempts: -1\n",
      "nuncio.yaml:2:16: a2a.maxAttempts: -1 is out of bounds; use a whole number from 1 to 20",
    ],
    [
      "D14 a fraction",
      "a2a:\n  maxHops: 1.5",
      "nuncio.yaml:2:12: a2a.maxHops: 1.5 is not whole; use a whole number from 1 to 32",
    ],
    [
      "D14 text",
      "a2a: { maxHops: four }",
      'nuncio.yaml:1:17: a2a.maxHops: "four" is text; use a whole number from 1 to 32',
    ],
    ["D14 nothing", "a2a:\n  maxHops:\n", "nuncio.yaml:2:11: a2a.maxHops: is empty; use a whole number from 1 to 32"],
    [
      "D14 no number",
      "a2a: { maxHops: .nan }",
      "nuncio.yaml:1:17: a2a.maxHops: .nan is not a finite number; use a whole number from 1 to 32",
    ],
    [
      "a version without quotes",
      "a2a:\n  versions: [1.0]",
      'nuncio.yaml:2:14: a2a.versions[0]: 1.0 is not known here; use "1.0" or "0.3", in quotes',
    ],
    ["an unknown word", "mode: prod", 'nuncio.yaml:1:7: mode: "prod" is not known here; use development or production'],
    ["a map in place of a list", "personas:\n  name: x", "nuncio.yaml:2:3: personas: is a map; use a list"],
    [
      "a number in place of a map",
      "cards: 3",
      "nuncio.yaml:1:8: cards: 3 is a number; use a map with the keys signingKeyFile, provider, documentationUrl, iconUrl",
    ],
    [
      "text in place of a truth value",
      "access: { anonymous: yes }",
      'nuncio.yaml:1:22: access.anonymous: "yes" is text; use true or false',
    ],
    [
      "a URL of another scheme",
      "server: { publicBaseUrl: ftp://x }",
      'nuncio.yaml:1:26: server.publicBaseUrl: "ftp://x" is not a plain URL; use http:// or https:// with a host, without user, ? and #',
    ],
    [
      "a URL as host",
      "server:\n  host: http://a:80",
      'nuncio.yaml:2:9: server.host: "http://a:80" is not valid here; use a host name or an IP address such as 127.0.0.1, without scheme and port',
    ],
    [
      "a hostile name",
      'personas:\n  - name: "a*:b"\n    runtime: scripted',
      `nuncio.yaml:2:11: personas[0].name: "a*:b" is not valid here; ${nameRule}`,
    ],
    [
      "a provider without type",
      "providers:\n  a: {}",
      "nuncio.yaml:2:6: providers.a.type: is missing; use type: anthropic, openai-compatible or command",
    ],
    [
      "a provider without URL",
      "providers:\n  a: { type: openai-compatible }",
      "nuncio.yaml:2:6: providers.a.baseURL: is missing; use an http:// or https:// URL of 1 to 2048 characters",
    ],
    [
      "a provider's name",
      'providers:\n  "a b": { type: anthropic }',
      `nuncio.yaml:2:3: providers["a b"]: is not a valid name; ${nameRule}`,
    ],
    [
      "another database",
      "storage: { type: mysql }",
      'nuncio.yaml:1:18: storage.type: "mysql" is not known here; use type: sqlite or postgres',
    ],
    [
      "console",
      "console: true",
      "nuncio.yaml:1:10: console: true is not known here; use false, or a map with the keys host, port",
    ],
    [
      "inside of console",
      "console: { port: 70000 }",
      "nuncio.yaml:1:18: console.port: 70000 is out of bounds; use a whole number from 0 to 65535",
    ],
    [
      "metadata addresses",
      'outbound: { allow: ["169.254.169.254:80"] }',
      'nuncio.yaml:1:21: outbound.allow[0]: "169.254.169.254:80" is a metadata address, which is never allowed; remove it',
    ],
    [
      "no host and port",
      "outbound: { allow: [x] }",
      'nuncio.yaml:1:21: outbound.allow[0]: "x" is not HOST:PORT; use one such as "127.0.0.1:9000"',
    ],
    [
      "an allowed host that is none",
      "outbound: { allow: [a..b:80] }",
      'nuncio.yaml:1:21: outbound.allow[0]: "a..b:80" is not HOST:PORT; use one such as "127.0.0.1:9000"',
    ],
    [
      "R4 a metadata address in another spelling",
      "outbound: { allow: ['0xa9fea9fe:80'] }",
      'nuncio.yaml:1:21: outbound.allow[0]: "0xa9fea9fe:80" is a metadata address, which is never allowed; remove it',
    ],
    [
      "a capability",
      scripted('capabilities: { allow: ["persona.send:a*"] }'),
      'nuncio.yaml:4:29: personas[0].capabilities.allow[0]: "persona.send:a*" is not a capability; use area.verb or area.verb:scope, such as persona.send:researcher or persona.send:*',
    ],
    [
      "an approval that nobody has time to give",
      "approvals: { expireAfterMs: 10 }",
      "nuncio.yaml:1:29: approvals.expireAfterMs: 10 is out of bounds; use whole milliseconds from 1000 to 31536000000",
    ],
    [
      "the file as a whole",
      "hello",
      'nuncio.yaml:1:1: "hello" is text; use a map with the keys mode, dataDir, server, console, storage, queue, a2a, access, approvals, cards, outbound, retention, providers, channels, profiles, personas',
    ],
  ])("%s", async (_title, text, message) => {
    expect(await refusal(text)).toBe(message);
  });
});

describe("a wrong key", () => {
  it.each([
    [
      "the nearest is suggested",
      "a2a:\n  maxhop: 3\n",
      "nuncio.yaml:2:3: a2a.maxhop: is not a key here; did you mean maxHops?",
    ],
    [
      "case and dashes do not count",
      "data-dir: x",
      "nuncio.yaml:1:1: data-dir: is not a key here; did you mean dataDir?",
    ],
    [
      "else all are listed",
      "cards: { color: red }",
      "nuncio.yaml:1:10: cards.color: is not a key here; use one of signingKeyFile, provider, documentationUrl, iconUrl",
    ],
    [
      "given twice",
      "a2a:\n  maxHops: 3\n  maxHops: 4\n",
      "nuncio.yaml:3:3: a2a.maxHops: is given twice, first on line 2; keep one of them",
    ],
    [
      "unquoted template",
      steps("reply: {{turn}}"),
      "nuncio.yaml:6:21: personas[0].script[0].steps[0].reply: a key is not plain text; put quotes around text that begins with {{ or [",
    ],
    ["prototype", "__proto__: 1", "nuncio.yaml:1:1: __proto__: is not allowed as a key; use another name"],
  ])("%s", async (_title, text, message) => {
    expect(await refusal(text)).toBe(message);
  });

  it("and everything else that is wrong is told at once, in the order of the file", async () => {
    expect(await refusal("sever: {}\na2a: { maxHops: 99, maxAttempts: 0 }\nmode: x\n")).toBe(
      [
        "nuncio.yaml:1:1: sever: is not a key here; did you mean server?",
        "nuncio.yaml:2:17: a2a.maxHops: 99 is out of bounds; use a whole number from 1 to 32",
        "nuncio.yaml:2:34: a2a.maxAttempts: 0 is out of bounds; use a whole number from 1 to 20",
        'nuncio.yaml:3:7: mode: "x" is not known here; use development or production',
      ].join("\n"),
    );
  });
});

describe("YAML that is none", () => {
  it.each([
    ["\ta: 1", "nuncio.yaml:1:1: a tab is used as indentation; use spaces"],
    [
      "a: b: c",
      'nuncio.yaml:1:4: a second key on one line; put it on a line of its own, or put text that contains ": " in quotes',
    ],
    [
      'a: "x',
      "nuncio.yaml:1:6: something is missing here: a closing quote or bracket, a comma, a colon and a space after a key, or spaces before it",
    ],
    [
      "personas: [\n  { name: x }",
      "nuncio.yaml:2:14: the indentation does not fit, or a bracket before this place is not closed; line the keys up with spaces",
    ],
    ["a: @x", "nuncio.yaml:1:4: text that begins with this character needs quotes"],
    ["a: *b", "nuncio.yaml:1:4: a: *b names no anchor; write &b before it"],
    ["a: &a [*a]", "nuncio.yaml:1:8: a[0]: *a would contain itself; write the value out"],
    ["a: !!js/function x", "nuncio.yaml:1:4: tags (!…) are not used here; remove it, or put the text in quotes"],
    [
      "a2a: {}\n---\nb: 1",
      "nuncio.yaml:2:1: a second document begins here; put everything into one, without a line ---",
    ],
  ])("%j", async (text, message) => {
    expect(await refusal(text)).toBe(message);
  });
});

describe("variables", () => {
  it("unset", async () => {
    expect(await refusal("providers:\n  anthropic: { type: anthropic, apiKey: ${ANTHROPIC_API_KEY} }")).toBe(
      "nuncio.yaml:2:41: providers.anthropic.apiKey: ${ANTHROPIC_API_KEY} is not set; set ANTHROPIC_API_KEY in the environment, or write the value here",
    );
  });

  it("with a default in the manner of a shell", async () => {
    expect(await refusal("server:\n  port: ${PORT:-80}", { PORT: "1" })).toBe(
      "nuncio.yaml:2:9: server.port: ${PORT:-80} is not supported; use ${PORT} and set PORT in the environment",
    );
  });

  it("that hold no number where one is needed", async () => {
    expect(await refusal("server:\n  port: ${PORT}", { PORT: "x" })).toBe(
      "nuncio.yaml:2:9: server.port: ${PORT} is text; use a whole number from 0 to 65535",
    );
  });
});

describe("steps of a script", () => {
  const at = "personas[0].script[0].steps[0]";
  it.each([
    [
      "two in one item",
      steps("reply: hi\n            status: x"),
      `nuncio.yaml:6:13: ${at}: status and reply stand together; write one list item for each step`,
    ],
    ["an unknown one", steps("replay: hi"), `nuncio.yaml:6:13: ${at}.replay: is not a key here; did you mean reply?`],
    [
      "text in place of a number",
      steps("sleep: long"),
      `nuncio.yaml:6:20: ${at}.sleep: "long" is text; use whole milliseconds from 0 to 86400000`,
    ],
    [
      "inside of send",
      steps("send: { to: b }"),
      `nuncio.yaml:6:19: ${at}.send.message: is missing; use text of at most 262144 characters`,
    ],
    [
      "inside of fail",
      steps("fail: { txt: a }"),
      `nuncio.yaml:6:19: ${at}.fail.text: is missing; use text of at most 262144 characters\nnuncio.yaml:6:21: ${at}.fail.txt: is not a key here; did you mean text?`,
    ],
    [
      "a part of two kinds",
      steps("artifact: { name: a, parts: [{ text: a, data: 1 }] }"),
      `nuncio.yaml:6:42: ${at}.artifact.parts[0]: text and data stand together; a part has exactly one of text, data, raw or url`,
    ],
    [
      "no bytes",
      steps('artifact: { name: a, parts: [{ raw: "???" }] }'),
      `nuncio.yaml:6:49: ${at}.artifact.parts[0].raw: "???" is not base64; encode the bytes`,
    ],
    ["hang: false", steps("hang: false"), `nuncio.yaml:6:19: ${at}.hang: false is not known here; use true`],
    [
      "a pattern that is none",
      scripted("script:", '  - when: { text: "(" }', "    steps: [{ reply: hi }]"),
      'nuncio.yaml:5:23: personas[0].script[0].when.text: "(" is not a regular expression: Unterminated group; correct it',
    ],
    [
      "no steps",
      scripted("script:", "  - steps: []"),
      "nuncio.yaml:5:16: personas[0].script[0].steps: is empty; use a list",
    ],
  ])("%s", async (_title, text, message) => {
    expect(await refusal(text)).toBe(message);
  });
});

describe("settings that contradict each other", () => {
  const command = "providers: { c: { type: command, command: cat } }\n";
  it.each([
    [
      "anonymous beyond loopback",
      "access: { anonymous: true }\nserver: { host: 0.0.0.0 }",
      "nuncio.yaml:1:22: access.anonymous: true is refused while server.host is 0.0.0.0; use false, or a host such as 127.0.0.1",
    ],
    [
      "anonymous behind a name that looks like loopback",
      "access: { anonymous: true }\nserver: { host: 127.0.0.1.example.com }",
      "nuncio.yaml:1:22: access.anonymous: true is refused while server.host is 127.0.0.1.example.com; use false, or a host such as 127.0.0.1",
    ],
    [
      "anonymous in public",
      "access: { anonymous: true }\nserver: { publicBaseUrl: 'https://a.example' }",
      "nuncio.yaml:1:22: access.anonymous: true is refused while server.publicBaseUrl is set; use false, or remove the public URL",
    ],
    [
      "the same port twice",
      "server: { port: 4700, grpcPort: 4700 }",
      "nuncio.yaml:1:33: server.grpcPort: 4700 is server.port already; use another port",
    ],
    [
      "the same persona twice",
      "personas:\n  - { name: x, runtime: scripted }\n  - { name: x, runtime: scripted }\n",
      'nuncio.yaml:3:13: personas[1].name: "x" is personas[0] already; use another name',
    ],
    [
      "the same channel twice",
      "channels:\n  - { name: a, type: log }\n  - { name: a, type: log }",
      'nuncio.yaml:3:13: channels[1].name: "a" is taken already; use another name',
    ],
    [
      "E2 an unknown default agent",
      "a2a: { defaultAgent: x }",
      'nuncio.yaml:1:22: a2a.defaultAgent: "x" is not among the personas; add it with visibility: public',
    ],
    [
      "E2 a private default agent",
      "a2a: { defaultAgent: x }\npersonas: [{ name: x, runtime: scripted }]",
      'nuncio.yaml:1:22: a2a.defaultAgent: "x" is private; give it visibility: public',
    ],
    [
      "E2 a default agent of another tenant",
      "a2a: { defaultAgent: x }\npersonas: [{ name: x, tenant: t, visibility: public, runtime: scripted }]",
      'nuncio.yaml:1:22: a2a.defaultAgent: "x" belongs to another tenant than default; move it there',
    ],
    [
      "a model persona without model",
      "personas:\n  - name: x",
      'nuncio.yaml:2:5: personas[0]: "x" names no model; add one such as model: claude-sonnet-4-6, or runtime: scripted',
    ],
    [
      "an unknown provider",
      "personas:\n  - name: x\n    provider: antropic\n    model: m",
      'nuncio.yaml:3:15: personas[0].provider: "antropic" is not configured; use anthropic, or add it under providers',
    ],
    [
      "command without such a provider",
      "personas:\n  - name: x\n    runtime: command",
      "nuncio.yaml:3:14: personas[0].runtime: command needs a provider of type command; add one under providers and name it here",
    ],
    [
      "command with another provider",
      `${command}personas:\n  - name: x\n    runtime: command`,
      "nuncio.yaml:4:14: personas[0].runtime: command needs a provider of type command; use provider: c",
    ],
    [
      "a model on a command provider",
      `${command}personas:\n  - name: x\n    provider: c\n    runtime: model`,
      'nuncio.yaml:5:14: personas[0].runtime: model does not go with "c", a provider of type command; remove this line',
    ],
    [
      "a script for a model",
      "personas:\n  - name: x\n    model: m\n    script: []\n",
      "nuncio.yaml:4:13: personas[0].script: a script needs runtime: scripted; add that, or remove the script",
    ],
    [
      "an approval of what is not granted",
      scripted('capabilities: { allow: ["persona.send:a"], requireApproval: ["persona.send:a", "net.htp"] }'),
      "nuncio.yaml:4:84: personas[0].capabilities.requireApproval[1]: net.htp is nothing that capabilities.allow grants, and would never be asked for; grant it there, or remove it",
    ],
    [
      "an approval of calls of no agent",
      scripted('capabilities: { requireApproval: ["a2a.call"] }'),
      "nuncio.yaml:4:39: personas[0].capabilities.requireApproval[0]: use a2a.call:* or a2a.call:HOST",
    ],
    [
      "an approval of calls of an agent that is not written as its host is",
      scripted(
        'capabilities: { requireApproval: ["a2a.call:*", "a2a.call:Agents.example"] }',
        'policy: { mode: enforce, egressHosts: ["AGENTS.example:443"] }',
      ),
      "nuncio.yaml:4:53: personas[0].capabilities.requireApproval[1]: a2a.call:Agents.example names none of the persona's egressHosts, and would never be asked for; use a2a.call:agents.example",
    ],
    [
      "an approval of calls by a persona that may call nobody",
      scripted('capabilities: { requireApproval: ["a2a.call:agents.example"] }'),
      "nuncio.yaml:4:39: personas[0].capabilities.requireApproval[0]: a2a.call:agents.example names none of the persona's egressHosts, and would never be asked for; remove it",
    ],
  ])("%s", async (_title, text, message) => {
    expect(await refusal(text)).toBe(message);
  });
});

describe("secrets", () => {
  it.each([
    "providers: { a: { type: anthropic, apiKey: 5ecre7 5ecre7 } }",
    "providers: { a: { type: anthropic, apiKey: 5555 } }",
    "providers: { a: { type: anthropic, apiKey: [5ecre7] } }",
    'providers: { a: { type: openai-compatible, baseURL: "http://me:5ecre7@h/v1" } }',
    'channels: [{ name: a, type: slack-webhook, url: "hooks/5ecre7" }]',
    'storage: { type: postgres, url: "mysql://u:5ecre7@h/d" }',
    'storage: { type: postgres, url: "postgres://u:5ecre7@h/d", schema: 1a }',
    'providers: { a: { type: anthropic, apiKey: "5ecre7" "5ecre7" } }',
    "providers:\n  a:\n    apiKey: 5ecre7: x\n",
  ])("R7 %j is refused without being repeated", async (text) => {
    const message = await refusal(text);
    expect(message).not.toBe("accepted");
    expect(message).not.toMatch(/5ecre7|5555/);
  });
});

describe("files", () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "nuncio-files-"));
  });
  afterAll(() => rm(directory, { recursive: true }));
  const hint = "name one with --config, or make one with nuncio init";

  it.each([
    ["none.yaml", null, "does not exist"],
    [".", null, "is a directory"],
    ["latin.yaml", Buffer.from([0x61, 0x3a, 0x20, 0xff]), "is not UTF-8 text"],
    ["large.yaml", Buffer.alloc(1024 * 1024 + 1, "#"), "is larger than 1024 KiB"],
  ])("%s is refused", async (name, bytes, reason) => {
    const file = join(directory, name);
    if (bytes !== null) await writeFile(file, bytes);
    await expect(loadConfig(file, {})).rejects.toThrow(`${file}:1:1: the configuration file ${reason}; ${hint}`);
  });

  it("a prompt file that is absent or too large is refused where it is named", async () => {
    const file = join(directory, "nuncio.yaml");
    await writeFile(file, "personas:\n  - name: a\n    model: m\n    systemPromptFile: p.md\n");
    const place = `${file}:4:23: personas[0].systemPromptFile: "p.md"`;
    const prompt = join(directory, "p.md");
    const right = `use a text file of at most 256 KiB (looked for ${prompt})`;
    await expect(loadConfig(file, {})).rejects.toThrow(`${place} does not exist; ${right}`);
    await writeFile(prompt, "x".repeat(256 * 1024 + 1));
    await expect(loadConfig(file, {})).rejects.toThrow(`${place} is larger than 256 KiB; ${right}`);
  });
});

describe("whatever stands in the file", () => {
  it("R5 nesting is bounded before the parser recurses", async () => {
    for (const text of ["[".repeat(5000), "- ".repeat(5000), "{a: ".repeat(5000), "? ".repeat(5000)]) {
      expect(await refusal(text)).toBe("nuncio.yaml:1:1: the file nests deeper than 64 levels; flatten it");
    }
  });

  it("R5 aliases that multiply are bounded", async () => {
    const rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
    for (let i = 1; i < 12; i++)
      rows.push(
        `a${i}: &a${i} [${Array(10)
          .fill(`*a${i - 1}`)
          .join(", ")}]`,
      );
    expect(await refusal(rows.join("\n"))).toMatch(
      /the file has more than 100000 values, aliases counted each time; shorten it$/,
    );
  });

  it("R5 a file full of unknown keys is refused in a bounded message", async () => {
    const message = await refusal(Array.from({ length: 5000 }, (_, i) => `k${i}: 1`).join("\n"));
    expect(message.split("\n")).toHaveLength(21);
    expect(message).toMatch(/… and 4980 more$/);
  });

  const words = fc.constantFrom(
    ..."personas name runtime scripted script steps reply send to message a2a maxHops providers type anthropic command when text".split(
      " ",
    ),
    ..."a 1 1.5 -3 true null ~ .nan {{turn}} ${A} ${B:-x} &a *a !t !!str | > @ ` % # ' \" ? - : , [ ] { } << __proto__ constructor".split(
      " ",
    ),
  );
  const layout = fc.constantFrom(" ", "\n", "\n  ", "\n    ", ": ", "\n- ", "\n  - ", "\t", "", "\r\n", "\n---\n");
  const yamlish = fc.array(fc.tuple(words, layout), { maxLength: 60 }).map((pairs) => pairs.flat().join(""));

  const refusedOnlyAsConfigError = async (text: string): Promise<void> => {
    try {
      await parseConfig(text, "nuncio.yaml", { A: "1" });
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      expect(NuncioError.is(error, "invalid_argument")).toBe(true);
      expect(error.problems.length).toBeGreaterThan(0);
      for (const problem of error.problems) {
        expect(problem.line).toBeGreaterThanOrEqual(1);
        expect(problem.line).toBeLessThanOrEqual(text.split("\n").length);
        expect(problem.column).toBeGreaterThanOrEqual(1);
        expect(problem.message.length).toBeLessThan(2000);
      }
    }
  };

  it("R5 YAML-like text is loaded or refused, never anything else", async () => {
    await fc.assert(
      fc.asyncProperty(yamlish, async (text) => {
        await refusedOnlyAsConfigError(text);
      }),
      { numRuns: 2000 },
    );
  });

  it("R5 any text is loaded or refused, never anything else", async () => {
    const text = fc.string({ unit: "binary", maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(text, async (any) => {
        await refusedOnlyAsConfigError(any);
      }),
      { numRuns: 500 },
    );
  });

  it("R5 any JSON in any section is loaded or refused, never anything else", async () => {
    const section = fc.constantFrom(
      "server",
      "storage",
      "queue",
      "a2a",
      "access",
      "outbound",
      "providers",
      "channels",
      "personas",
    );
    const property = fc.asyncProperty(section, fc.jsonValue({ maxDepth: 4 }), async (name, value) => {
      await refusedOnlyAsConfigError(JSON.stringify({ [name]: value }));
      await refusedOnlyAsConfigError(
        JSON.stringify({ personas: [{ name: "a", runtime: "scripted", script: [{ steps: [{ send: value }] }] }] }),
      );
      const nodes = [
        { id: "x", persona: "b", with: value },
        { id: "y", tool: "net_http", with: { url: value } },
        value,
      ];
      await refusedOnlyAsConfigError(JSON.stringify({ personas: [{ name: "a", runtime: "workflow", nodes }] }));
    });
    await fc.assert(property, { numRuns: 500 });
  });
});
