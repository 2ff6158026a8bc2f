import { describe, expect, it } from "vitest";
import { ConfigError } from "./config-error.js";
import { parseConfig } from "./load-config.js";

const load = (text: string) => parseConfig(`${text}\n`, "/etc/nuncio/nuncio.yaml", {});
const refusal = async (text: string) => {
  const error = await load(text).catch((thrown) => thrown);
  return error instanceof ConfigError ? String(error.message) : "nothing was refused";
};
const policy = (given: string) => `personas: [{ name: a, runtime: scripted, policy: { ${given} } }]`;
const credential = (given: string) => `${policy("mode: enforce")}\na2a: { credentials: [{ ${given} }] }`;

describe("calls of agents outside, as configured", () => {
  it("E19 files of credentials are found beside the configuration", async () => {
    const { config } = await load(credential('target: "https://a.example/*", file: keys/a.json'));
    expect(config.a2a.credentials).toEqual([{ target: "https://a.example/*", file: "/etc/nuncio/keys/a.json" }]);
    expect(config.a2a.maxCallsPerMinute).toBe(60);
  });

  it.each([
    ["a target for everybody", credential('target: "https://*", file: f'), "is no URL of agents"],
    ["a target without a file", credential('target: "https://a.example/*"'), "file"],
    ["a secret in its place", credential('target: "https://a.example/*", file: f, token: x'), "token"],
    [
      "an audience that is none",
      credential('target: "https://a.example/*", file: f, audience: desk'),
      "is no SPIFFE id",
    ],
    [
      "a whole trust domain",
      credential('target: "https://a.example/*", file: f, audience: "spiffe://a.example"'),
      "is no SPIFFE id",
    ],
    ["any host", policy('mode: enforce, egressHosts: ["*"]'), "is no host name"],
    ["hosts below one", policy('mode: enforce, egressHosts: ["*.a.example"]'), "is no host name"],
    ["a URL as a host", policy('mode: enforce, egressHosts: ["https://a.example"]'), "is no host name"],
    ["no calls at all", `${policy("mode: enforce")}\na2a: { maxCallsPerMinute: 0 }`, "use a whole number from 1"],
  ])("E16 E19 %s is refused", async (_what, text, problem) => {
    expect(await refusal(text)).toContain(problem);
  });

  it.each([
    ["mode: audit, tools: [a2a_call]", 'a can call nobody: mode "audit" denies everything; use enforce'],
    ["mode: enforce, tools: [a2a_call]", "a can call nobody: a2aTargets names no agent"],
    [
      'mode: enforce, tools: [a2a_call], a2aTargets: ["https://a.example/*"]',
      "a can call nobody: egressHosts names no host",
    ],
    ["mode: enforce, tools: [a2a_cal]", "a2a_cal is no tool that a policy speaks of; there is a2a_call"],
  ])("E16 a policy that lets nothing through is doubtful: %s", async (given, warning) => {
    const { warnings } = await load(policy(given));
    expect(warnings.map(({ message }) => message).join()).toContain(warning);
  });

  it("E16 one that lets calls through is not", async () => {
    const text = policy(
      'mode: enforce, tools: [a2a_call], a2aTargets: ["https://a.example/*"], egressHosts: [a.example]',
    );
    expect((await load(text)).warnings).toEqual([]);
  });
});
