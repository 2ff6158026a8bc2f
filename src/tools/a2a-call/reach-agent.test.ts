import { describe, expect, it } from "vitest";
import { FakeAgent } from "../../../test/support/fake-agent.js";
import { type Refused, resolverOf, SSRF_MATRIX } from "../../../test/support/ssrf-matrix.js";
import { testPersona } from "../../../test/support/test-house.js";
import type { Credential } from "../../access/credentials/credential.js";
import { RemoteCredentials } from "../../access/credentials/remote-credentials.js";
import { createOutbound } from "../../outbound/outbound.js";
import type { CallHouse } from "./call-house.js";
import { type Caller, openWay } from "./reach-agent.js";

const AGENT = "https://agents.example.com/research";
const { signal } = new AbortController();

const house = (parts: Partial<CallHouse>): CallHouse =>
  ({ credentials: { find: () => null }, development: true, onTrouble: () => {}, ...parts }) as CallHouse;

/** A persona that the operator lets call exactly these, whatever they are. */
function caller(agentUrl: string, ...urls: string[]): Caller {
  const hosts = urls.flatMap((url) => (URL.canParse(url) ? [new URL(url).hostname] : []));
  const policy = {
    mode: "enforce",
    tools: ["a2a_call"],
    a2aTargets: urls.flatMap((url) => [url, `${url}*`]),
    egressHosts: hosts,
  };
  return { persona: testPersona("boss", { policy }), taskId: "t", agentUrl, onShown: () => {} };
}

describe("R4 an agent that a policy lets be called, and the way out does not", () => {
  it.each(SSRF_MATRIX)("$what", async ({ url, mode = "development", allow = [], answers, reason }: Refused) => {
    const outbound = createOutbound({ mode, allow, resolver: resolverOf({ answers }) });
    const refused = { reason: expect.stringMatching(new RegExp(`^(${reason}|CALL_DENIED)$`)) };
    const parts = house({ outbound: async () => outbound, development: mode === "development" });
    await expect(openWay(parts, caller(url, url), signal)).rejects.toMatchObject(refused);
  });

  it.each(SSRF_MATRIX.filter(({ url }) => /^https?:\/\//.test(url)))("$what, named by a card", async (entry) => {
    const { url, mode = "development", allow = [], reason } = entry;
    const agent = new FakeAgent(AGENT, () => ({}), {
      supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
    });
    const real = createOutbound({ mode, allow, resolver: resolverOf(entry) });
    const fake = await agent.outbound();
    const fetch: CallHouse["outbound"] = async () => ({
      fetch: (to, request) => (String(to).startsWith(AGENT) ? fake.fetch(to, request) : real.fetch(to, request)),
    });
    const parts = house({ outbound: fetch, development: mode === "development" });
    const sent = openWay(parts, caller(AGENT, AGENT, url), signal).then(({ client }) => client.get("t"));
    await expect(sent).rejects.toMatchObject({
      reason: expect.stringMatching(new RegExp(`^(${reason}|AGENT_CARD_DENIED|AGENT_INTERFACE_UNSUPPORTED)$`)),
    });
    expect(agent.requests).toHaveLength(1);
  });
});

describe("E19 the credential of an agent", () => {
  const credential: Credential = { type: "apiKey", header: "x-key", value: "canary" };
  const remote = (target: string) =>
    new RemoteCredentials([{ target, file: "f" }], {
      development: false,
      read: () => credential,
      grant: { token: async () => "", forget: () => {} },
      mint: async () => ({ token: "" }),
    });
  const card = (url: string) => ({
    supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
  });

  it.each<[what: string, iface: string, shown: boolean]>([
    ["the agent itself", AGENT, true],
    ["a path below", `${AGENT}/rpc`, true],
    ["another path", "https://agents.example.com/other", false],
    ["another host", "https://elsewhere.example.com/research", false],
    ["another port", "https://agents.example.com:8443/research", false],
  ])("goes to what its target means, wherever the card leads: %s", async (_what, iface, shown) => {
    const agent = new FakeAgent(AGENT, () => ({ id: "t", status: { state: "TASK_STATE_WORKING" } }), card(iface));
    const parts = house({ outbound: agent.outbound, credentials: remote(`${AGENT}*`), development: false });
    const way = await openWay(parts, caller(AGENT, AGENT, iface), signal);
    await way.client.get("t");
    expect(agent.requests.map(({ headers }) => headers.get("x-key"))).toEqual(["canary", shown ? "canary" : null]);
  });

  it("that cannot be read stops the call; why, only the operator is told", async () => {
    const agent = new FakeAgent(AGENT, () => ({}));
    const told: unknown[] = [];
    const broken = new RemoteCredentials([{ target: AGENT, file: "/etc/agents/key.json" }], {
      development: false,
      read: (file) => {
        throw new Error(`${file} has mode 0644`);
      },
      grant: { token: async () => "", forget: () => {} },
      mint: async () => ({ token: "" }),
    });
    const parts = house({
      outbound: agent.outbound,
      credentials: broken,
      onTrouble: (error) => told.push(String(error)),
    });
    const error = await openWay(parts, caller(AGENT, AGENT), signal).catch((thrown) => thrown);
    expect(error).toMatchObject({ reason: "CREDENTIAL_UNUSABLE" });
    expect(`${error.message} ${error.hint}`).not.toContain("/etc");
    expect(told).toEqual(["Error: /etc/agents/key.json has mode 0644"]);
    expect(agent.requests).toEqual([]);
  });
});
