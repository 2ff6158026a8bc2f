import { describe, expect, it } from "vitest";
import type { Credential } from "./credential.js";
import { RemoteCredentials } from "./remote-credentials.js";

const BOSS = { tenant: "default", name: "boss" };
const bearer = (token: string): Credential => ({ type: "bearer", peer: "them", token });

function credentials(
  files: Record<string, Credential>,
  entries: { target: string; file: string; audience?: string }[],
  development = false,
) {
  const forgotten: unknown[] = [];
  const minted: unknown[] = [];
  const remote = new RemoteCredentials(entries, {
    development,
    read: (file) => {
      const found = files[file];
      if (found === undefined) throw new Error(`${file} does not exist`);
      return found;
    },
    grant: {
      token: async ({ clientId }) => `token of ${clientId}`,
      forget: (credential) => forgotten.push(credential),
    },
    mint: async (agent, audience, lifetimeMs) => {
      minted.push({ agent, audience, lifetimeMs });
      return { token: "svid" };
    },
  });
  return { remote, files, forgotten, minted };
}

describe("the credential for an agent of others", () => {
  const oauth: Credential = {
    type: "oauth2ClientCredentials",
    tokenUrl: "https://t/",
    clientId: "id",
    clientSecret: "a-secret",
    scope: null,
  };
  it.each<[Credential, object, string[]]>([
    [bearer("tok"), { authorization: "Bearer tok" }, ["tok"]],
    [{ type: "apiKey", header: "X-Api-Key", value: "k e y" }, { "x-api-key": "k e y" }, ["k e y"]],
    [
      { type: "apiKey", header: "Authorization", value: "Basic dXNlcjpwYXNz==" },
      { authorization: "Basic dXNlcjpwYXNz==" },
      ["Basic dXNlcjpwYXNz==", "dXNlcjpwYXNz"],
    ],
    [
      { type: "apiKey", header: "Cookie", value: "lang=en; session=6f2c0000aa11" },
      { cookie: "lang=en; session=6f2c0000aa11" },
      ["lang=en; session=6f2c0000aa11", "6f2c0000aa11"],
    ],
    [oauth, { authorization: "Bearer token of id" }, ["token of id", "a-secret"]],
    [{ type: "agentToken" }, { "x-nuncio-agent-token": "svid" }, ["svid"]],
  ])("E19 is shown as its type says: %j", async (credential, headers, secrets) => {
    const { remote, minted } = credentials({ f: credential }, [
      { target: "https://agents.example.com/*", file: "f", audience: "spiffe://example.com/agents/desk" },
    ]);
    expect(await remote.find("https://agents.example.com/a")?.show(BOSS)).toEqual({ headers, secrets });
    if (credential.type !== "agentToken") return;
    expect(minted).toEqual([{ agent: BOSS, audience: "spiffe://example.com/agents/desk", lifetimeMs: 300_000 }]);
  });

  it.each<[url: string, file: string | null]>([
    ["https://agents.example.com/research", "one"],
    ["https://agents.example.com/desk", "desk"],
    ["https://agents.example.com:8443/desk", null],
    ["http://agents.example.com/desk", null],
    ["https://example.com/desk", null],
    ["https://agents.example.com@evil.example/desk", null],
    ["https://agents.example.com/x/..%2fdesk", null],
  ])("E19 %s gets %s, by the first target that fits", (url, file) => {
    const { remote } = credentials({ one: bearer("one"), desk: bearer("desk") }, [
      { target: "https://agents.example.com/desk", file: "desk" },
      { target: "https://agents.example.com/*", file: "one" },
    ]);
    return remote.find(url) === null
      ? expect(file).toBeNull()
      : expect(remote.find(url)?.show(BOSS)).resolves.toMatchObject({ secrets: [file] });
  });

  it.each<[url: string, covered: boolean]>([
    ["https://agents.example.com/a/rpc", true],
    ["https://agents.example.com/b/rpc", false],
    ["https://agents.example.com:8443/a/rpc", false],
    ["https://other.example.com/a/rpc", false],
    ["http://agents.example.com/a/rpc", false],
  ])("E19 found for one place it goes to what the target means, and nowhere else: %s", (url, covered) => {
    const { remote } = credentials({ f: bearer("x") }, [{ target: "https://agents.example.com/a/*", file: "f" }]);
    expect(remote.find("https://agents.example.com/a/agent")?.covers(url)).toBe(covered);
  });

  it("E19 goes over plain http in development alone", () => {
    const entries = [{ target: "http://127.0.0.1:9000/*", file: "f" }];
    const url = "http://127.0.0.1:9000/rpc";
    expect(
      credentials({ f: bearer("x") }, entries)
        .remote.find(url)
        ?.covers(url),
    ).toBe(false);
    expect(
      credentials({ f: bearer("x") }, entries, true)
        .remote.find(url)
        ?.covers(url),
    ).toBe(true);
  });

  it("E19 is read anew for each call, and a token that was not taken is forgotten", async () => {
    const { remote, files, forgotten } = credentials({ f: bearer("old") }, [
      { target: "https://a.example/*", file: "f" },
    ]);
    const found = remote.find("https://a.example/x");
    expect(await found?.show(BOSS)).toMatchObject({ secrets: ["old"] });
    files.f = oauth;
    expect(await found?.show(BOSS)).toMatchObject({ headers: { authorization: "Bearer token of id" } });
    found?.refused();
    expect(forgotten).toEqual([oauth]);
    delete files.f;
    await expect(found?.show(BOSS)).rejects.toThrow("f does not exist");
    expect(() => found?.refused()).not.toThrow();
  });

  it("E19 a token of ours is for nobody whom the operator has not named", async () => {
    const { remote, minted } = credentials({ f: { type: "agentToken" } }, [
      { target: "https://a.example/*", file: "f" },
    ]);
    await expect(remote.find("https://a.example/x")?.show(BOSS)).rejects.toMatchObject({ reason: "AUDIENCE_MISSING" });
    expect(minted).toEqual([]);
  });
});
