import { describe, expect, it } from "vitest";
import { NOTHING_OUTSIDE } from "../../../test/support/nothing-outside.js";
import { hostTools, ToolCatalog, type ToolHouse } from "../../tools/catalog.js";
import { ConfigError, formatProblem } from "../config-error.js";
import { parseConfig } from "../load-config.js";
import { HOST_TOOLS } from "./tool-needs.js";

const PERSONAS = `
  - { name: researcher, runtime: scripted }
  - { name: stranger, runtime: scripted, tenant: other }`;

const workflow = (nodes: string, more = 'capabilities: { allow: ["persona.send:researcher", "channel.send:team"] }') =>
  `personas:\n  - name: flow\n    runtime: workflow\n    ${more}\n    nodes:\n${nodes
    .split("\n")
    .map((line) => `      ${line}`)
    .join("\n")}${PERSONAS}\n`;

const refusals = async (text: string): Promise<string[]> => {
  try {
    await parseConfig(text, "nuncio.yaml", {});
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split("\n");
    throw error;
  }
  return ["accepted"];
};

const warnings = async (text: string): Promise<string[]> =>
  (await parseConfig(text, "nuncio.yaml", {})).warnings.map(formatProblem).filter((said) => said.includes(".nodes["));

const ask = (id: string, needs = "", text = "?") =>
  `- { id: ${id}, approval: "${text}"${needs && `, needs: [${needs}]`} }`;

describe("E18 a workflow that cannot work is refused with its place", () => {
  it.each<[string, string, string[]]>([
    [
      "an id that comes twice",
      [ask("a"), ask("b"), ask("a")].join("\n"),
      ['8:15: personas[0].nodes[2].id: "a" is nodes[0] already; use another id'],
    ],
    [
      "a need that is no node",
      [ask("a"), ask("b", "a, c")].join("\n"),
      ['7:44: personas[0].nodes[1].needs[1]: "c" is no node of this workflow; use a or b'],
    ],
    [
      "a node that needs itself",
      ask("a", "a"),
      ["6:41: personas[0].nodes[0].needs[0]: a needs a, so that none can begin; remove one of these"],
    ],
    [
      "nodes that need each other, behind one that does not",
      [ask("z"), ask("x", "z, a"), ask("a", "b"), ask("b", "c"), ask("c", "a")].join("\n"),
      ["8:41: personas[0].nodes[2].needs[0]: a needs b needs c needs a, so that none can begin; remove one of these"],
    ],
    [
      "a node that does nothing",
      "- { id: a }",
      ["6:9: personas[0].nodes[0]: nothing is given; a node has exactly one of persona, tool or approval"],
    ],
    [
      "a node that is two",
      "- { id: a, persona: researcher, approval: sure, with: { message: x } }",
      [
        "6:9: personas[0].nodes[0]: persona and approval stand together; a node has exactly one of persona, tool or approval",
      ],
    ],
    [
      "an id that would be read in two ways",
      ask("a.b"),
      [
        "6:15: personas[0].nodes[0].id: \"a.b\" is not valid here; use a letter, then at most 63 letters, digits, '_' or '-'",
      ],
    ],
    [
      "arguments of an approval",
      "- { id: a, approval: sure, with: { message: x } }",
      ["6:40: personas[0].nodes[0].with: goes with persona and tool; remove it"],
    ],
    [
      "a persona without a message",
      "- { id: a, persona: researcher }",
      ["6:9: personas[0].nodes[0].with: is missing; use a map with the keys message, timeoutMs"],
    ],
    [
      "a persona with a key that it does not know",
      "- { id: a, persona: researcher, with: { message: x, timeout: 3 } }",
      ["6:59: personas[0].nodes[0].with.timeout: is not a key here; did you mean timeoutMs?"],
    ],
    [
      "a time that is none",
      "- { id: a, persona: researcher, with: { message: x, timeoutMs: soon } }",
      ['6:70: personas[0].nodes[0].with.timeoutMs: "soon" is text; use whole milliseconds from 1 to 86400000'],
    ],
    [
      "itself",
      "- { id: a, persona: flow, with: { message: x } }",
      [
        "6:27: personas[0].nodes[0].persona: a workflow that hands work to itself would never come to an end; name another persona",
      ],
    ],
    [
      "a tool that there is not",
      "- { id: a, tool: rm_rf }",
      [
        '6:24: personas[0].nodes[0].tool: "rm_rf" is no host tool; use persona_send, persona_task_status, persona_list, ask_caller, net_http, channel_send or a2a_call',
      ],
    ],
    [
      "a template that names nothing",
      ask("a", "", "{{input.texts}}"),
      [
        "6:28: personas[0].nodes[0].approval: {{input.texts}} is no name here; use input.text, input.message, input.data, turn, attempt or nodes.ID.output",
      ],
    ],
    [
      "a template that names no node",
      ask("a", "", "{{nodes.b.output}}"),
      ['6:28: personas[0].nodes[0].approval: {{nodes.b.output}}: "b" is no node of this workflow; use a'],
    ],
    [
      "a template that names its own node",
      ask("a", "", "{{nodes.a.output}}"),
      ["6:28: personas[0].nodes[0].approval: {{nodes.a.output}} may not be there yet; add a to needs"],
    ],
    [
      "a template, deep in the arguments of a tool, that names a node that is not needed",
      [
        ask("a"),
        ask("b", "a"),
        '- { id: c, tool: ask_caller, with: { question: "{{nodes.a.output.reason}}", x: [{ y: "{{ nodes.b.output }}" }] }, needs: [a] }',
      ].join("\n"),
      ["8:92: personas[0].nodes[2].with.x[0].y: {{nodes.b.output}} may not be there yet; add b to needs"],
    ],
  ])("%s", async (_, nodes, problems) => {
    expect(await refusals(workflow(nodes))).toEqual(problems.map((problem) => `nuncio.yaml:${problem}`));
  });

  it.each([
    ["without nodes", "runtime: workflow", "runtime: workflow needs nodes"],
    ["with no node", "runtime: workflow\n    nodes: []", "nodes: is empty; use at least one node"],
    ["that is none", "runtime: scripted\n    nodes: [{ id: a, approval: x }]", "nodes: nodes need runtime: workflow"],
  ])("one %s", async (_, lines, problem) => {
    const [first, ...others] = await refusals(`personas:\n  - name: flow\n    ${lines}\n`);
    expect(first).toContain(problem);
    expect(others).toEqual([]);
  });
});

describe("E16 E18 what a workflow names and does not have is a warning with its place", () => {
  it.each<[string, string, string[]]>([
    [
      "a persona that is not there",
      "- { id: a, persona: nobody, with: { message: x } }",
      [
        '6:27: personas[0].nodes[0].persona: this node will fail: no persona "nobody" is configured in tenant default; add it, or name another',
      ],
    ],
    [
      "a persona of another tenant",
      "- { id: a, persona: stranger, with: { message: x } }",
      [
        '6:27: personas[0].nodes[0].persona: this node will fail: no persona "stranger" is configured in tenant default; add it, or name another',
      ],
    ],
    [
      "tools that the persona does not have",
      [
        "- { id: a, tool: net_http }",
        "- { id: b, tool: a2a_call }",
        "- { id: c, tool: channel_send, with: { channel: x } }",
      ].join("\n"),
      [
        "6:24: personas[0].nodes[0].tool: this node will fail: flow may not call net_http here; it needs the capability net.http",
        "7:24: personas[0].nodes[1].tool: this node will fail: flow may not call a2a_call here; it needs an enforced policy with a2a_call among its tools, a2aTargets and egressHosts",
        "8:24: personas[0].nodes[2].tool: this node will fail: flow may not call channel_send here; it needs the capability channel.send:x",
      ],
    ],
  ])("%s", async (_, nodes, problems) => {
    expect(await warnings(workflow(nodes))).toEqual(problems.map((problem) => `nuncio.yaml:${problem}`));
  });

  it("a persona that it may not send to", async () => {
    const nodes = "- { id: a, persona: researcher, with: { message: x } }";
    expect(await warnings(workflow(nodes, "description: none"))).toEqual([
      'nuncio.yaml:6:27: personas[0].nodes[0].persona: this node will fail: flow may not send to "researcher"; add persona.send:researcher to its capabilities.allow',
    ]);
  });

  it.each<[url: string, said: string | null]>([
    ["https://agents.example.com/research", null],
    ["https://agents.example.com/{{input.text}}", null],
    [
      "https://other.example.com/research",
      "nuncio.yaml:6:24: personas[0].nodes[0].tool: this node will fail: flow may not call a2a_call here; it needs this agentUrl among the a2aTargets of its policy, and its host among the egressHosts",
    ],
  ])("a call of %s", async (url, said) => {
    const policy =
      'policy: { mode: enforce, tools: [a2a_call], a2aTargets: ["https://agents.example.com/*"], egressHosts: [agents.example.com] }';
    const node = `- { id: a, tool: a2a_call, with: { agentUrl: "${url}", message: "{{input.message}}" } }`;
    expect(await warnings(workflow(node, policy))).toEqual(said === null ? [] : [said]);
  });
});

it("the host tools that a workflow may name are those that there are", () => {
  const tools = new ToolCatalog(hostTools({ ...NOTHING_OUTSIDE, calls: {} } as ToolHouse));
  expect(HOST_TOOLS.filter((name) => tools.named(name) === undefined)).toEqual([]);
});

it("E18 what a node needs by way of others is there for its templates, with its fields", async () => {
  const nodes = [
    '- { id: facts, persona: researcher, with: { message: "{{input.message}} {{turn}} {{attempt}}", timeoutMs: 1000 } }',
    ask("check", "facts", "{{nodes.facts.output}}"),
    '- { id: post, tool: channel_send, with: { channel: team, text: "{{nodes.facts.output.task_id}} {{input.data}}" }, needs: [check] }',
  ].join("\n");
  const { personas } = await parseConfig(workflow(nodes), "nuncio.yaml", {});
  expect(personas[0]?.runtime).toMatchObject({
    type: "workflow",
    nodes: [
      { id: "facts", persona: "researcher", message: expect.any(String), timeoutMs: 1000, needs: [] },
      { id: "check", approval: "{{nodes.facts.output}}", needs: ["facts"] },
      { id: "post", tool: "channel_send", needs: ["check"] },
    ],
  });
});
