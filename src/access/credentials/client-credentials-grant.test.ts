import { describe, expect, it } from "vitest";
import type { OutboundRequest } from "../../outbound/outbound.js";
import { ClientCredentialsGrant } from "./client-credentials-grant.js";
import type { ClientCredentials } from "./credential.js";

const credential: ClientCredentials = {
  type: "oauth2ClientCredentials",
  tokenUrl: "https://login.example.com/token",
  clientId: "our id",
  clientSecret: "canary&secret",
  scope: "agents.call",
};

function server(answer: (count: number) => Response | Promise<Response>, development = false) {
  const asked: (OutboundRequest & { url: string })[] = [];
  const clock = { time: 1_000_000, now: () => clock.time };
  const fetch = async (url: unknown, request: OutboundRequest = {}) => {
    asked.push({ ...request, url: String(url) });
    return answer(asked.length);
  };
  return { asked, clock, grant: new ClientCredentialsGrant({ outbound: async () => ({ fetch }), clock, development }) };
}
const token = (text: string, more: object = { expires_in: 3600 }) =>
  Response.json({ access_token: text, token_type: "Bearer", ...more });

describe("an access token", () => {
  it("E19 is asked for as RFC 6749 says, once for all who wait, and kept until shortly before its end", async () => {
    const { asked, clock, grant } = server((count) => token(`token-${count}`));
    expect(await Promise.all([grant.token(credential), grant.token(credential)])).toEqual(["token-1", "token-1"]);
    const basic = Buffer.from("our+id:canary%26secret").toString("base64");
    expect(asked).toMatchObject([
      {
        ...{ url: "https://login.example.com/token", method: "POST", endpoint: "operator" },
        headers: { authorization: `Basic ${basic}`, "content-type": "application/x-www-form-urlencoded" },
        body: "grant_type=client_credentials&scope=agents.call",
      },
    ]);
    clock.time += 3539_000;
    expect(await grant.token(credential)).toBe("token-1");
    clock.time += 1000;
    expect(await grant.token(credential)).toBe("token-2");
    // Another client, or another scope, is another token; one that was not taken is thrown away.
    expect(await grant.token({ ...credential, scope: null })).toBe("token-3");
    grant.forget(credential);
    expect(await grant.token(credential)).toBe("token-4");
  });

  it.each<[string, object, number]>([
    ["nothing", {}, 2],
    ["a minute", { expires_in: 60 }, 2],
    ["a number in quotes", { expires_in: "3600" }, 1],
    ["nonsense", { expires_in: "soon" }, 2],
    ["a negative time", { expires_in: -5 }, 2],
  ])("E19 that says %s of its end is asked for so often", async (_what, more, times) => {
    const { asked, grant } = server(() => token("t", more));
    await grant.token(credential);
    await grant.token(credential);
    expect(asked).toHaveLength(times);
  });

  it.each<[string, () => Response, boolean]>([
    ["a refusal", () => Response.json({ error: "canary" }, { status: 401 }), false],
    ["a server that is down", () => new Response("canary", { status: 503 }), true],
    ["no JSON", () => new Response("canary"), false],
    ["no object", () => Response.json(null), false],
    ["no token", () => Response.json({ token_type: "Bearer" }), false],
    ["a token with a line break", () => token("canary\r\nx: y"), false],
    ["a token of another type", () => Response.json({ access_token: "canary", token_type: "mac" }), false],
  ])(
    "E19 R7 is not had by %s, and nothing of the answer or the client is in the error",
    async (_what, answer, retryable) => {
      const { grant } = server(answer);
      const error = await grant.token(credential).catch((thrown) => thrown);
      expect(error).toMatchObject({ reason: "TOKEN_NOT_GIVEN", retryable });
      expect(JSON.stringify([error.message, error.details, error.hint, error.stack])).not.toContain("canary");
    },
  );

  it("E19 goes over https alone, but in development", async () => {
    const plain = { ...credential, tokenUrl: "http://login.example.com/token" };
    const { asked, grant } = server(() => token("t"));
    await expect(grant.token(plain)).rejects.toMatchObject({ reason: "TOKEN_NOT_GIVEN" });
    expect(asked).toEqual([]);
    expect(await server(() => token("t"), true).grant.token(plain)).toBe("t");
  });

  it("E19 who does not want to wait any more goes alone", async () => {
    let give: (response: Response) => void = () => {};
    const { asked, grant } = server(
      () =>
        new Promise((resolve) => {
          give = resolve;
        }),
    );
    const abort = new AbortController();
    const gone = grant.token(credential, abort.signal);
    const stays = grant.token(credential);
    abort.abort(new Error("gone"));
    await expect(gone).rejects.toThrow("gone");
    give(token("t"));
    expect(await stays).toBe("t");
    expect(asked).toHaveLength(1);
  });
});
