// cspell:ignore ecre
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { TestHouse, testPersona } from "../../test/support/test-house.js";
import { createOutbound } from "../outbound/outbound.js";
import type { ToolResult } from "../tasks/runner.js";
import { logChannel } from "./channels/log.js";
import { slackWebhook } from "./channels/slack-webhook.js";
import { webhook } from "./channels/webhook.js";

let server: Server;
let secret: string;
let handle: (request: IncomingMessage, response: ServerResponse) => void;
let received: { url: string | undefined; type: string | undefined; body: unknown }[];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let text = "";
    for await (const piece of request.setEncoding("utf8")) text += piece;
    received.push({ url: request.url, type: request.headers["content-type"], body: JSON.parse(text) });
    handle(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  secret = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks/5ecre7?token=5ecre7`;
});
beforeEach(() => {
  received = [];
  handle = (_request, response) => response.end("ok");
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, "close");
});

const outbound = async () => createOutbound({ mode: "production", allow: [] });
const logged: object[] = [];

function house(allow: string[], url = secret) {
  const test = new TestHouse([testPersona("writer", { capabilities: { allow, requireApproval: [] } })]);
  test.channels.push(
    slackWebhook("team", url, outbound),
    webhook("hook", url, outbound),
    logChannel("diary", { info: (facts: object) => logged.push(facts) } as never),
  );
  return test;
}

const call = async (args: object, test = house(["channel.send:*"]), attempt = test.task("writer", "go").attempt()) =>
  (await attempt.tools.call("channel_send", args, "c1")) as ToolResult;

describe("D15 channel_send", () => {
  it("posts to Slack's webhooks a text in which nothing calls people or hides a link", async () => {
    const { value, isError } = await call({ channel: "team", text: "a & b <!channel> <https://x|y>" });
    expect([value, isError]).toEqual([{ channel: "team", status: "posted" }, false]);
    expect(received).toEqual([
      {
        url: "/hooks/5ecre7?token=5ecre7",
        type: "application/json",
        body: { text: "a &amp; b &lt;!channel&gt; &lt;https://x|y&gt;" },
      },
    ]);
  });

  it("posts to any webhook who says it, and for which task", async () => {
    await call({ channel: "hook", text: "a <b>" });
    expect(received[0]?.body).toEqual({ text: "a <b>", persona: "writer", tenant: "default", taskId: "task-1" });
  });

  it("writes into the log", async () => {
    await call({ channel: "diary", text: "hello" });
    expect(logged).toEqual([
      { channel: "diary", text: "hello", persona: "writer", tenant: "default", taskId: "task-1" },
    ]);
  });

  it("D6 is there for the channels that a persona may post to, and says which", async () => {
    const described = (allow: string[]) =>
      house(allow)
        .task("writer", "go")
        .attempt()
        .tools.descriptors.find(({ name }) => name === "channel_send")?.description;
    expect(described(["channel.send:*"])).toMatch(/Channels: team, hook, diary\.$/);
    expect(described(["channel.send:hook", "channel.send:absent"])).toMatch(/Channels: hook\.$/);
    expect(described(["channel.send:absent"])).toBeUndefined();
    expect(described(["net.http"])).toBeUndefined();
  });

  it.each([
    ["another channel of the operator's", "team"],
    ["one that there is not", "nowhere"],
  ])("D6 refuses %s in the same words", async (_, channel) => {
    expect((await call({ channel, text: "x" }, house(["channel.send:hook"]))).value).toEqual({
      error: `channel: there is no channel "${channel}" for writer; there are: hook`,
      field: "channel",
    });
    expect(received).toEqual([]);
  });

  it.each([
    [{ channel: "team" }, "text: is required"],
    [{ channel: "team", text: " " }, "text: must not be empty"],
    [{ channel: "team", text: "x".repeat(40_001) }, "text: must have at most 40000 characters"],
    [{ channel: "team", text: "x", url: "http://x" }, "url: is not an argument of this tool"],
  ])("refuses arguments that do not fit: %#", async (args, error) => {
    expect((await call(args)).value).toMatchObject({ error });
    expect(received).toEqual([]);
  });
});

describe("R7 what goes wrong is told without where it was to go", () => {
  it.each<[string, (response: ServerResponse) => void, object]>([
    [
      "a refusal",
      (response) => response.writeHead(403).end("no such hook 5ecre7"),
      { error: "the channel answered 403; nothing was posted" },
    ],
    [
      "too much",
      (response) => response.writeHead(429).end(),
      { error: "the channel answered 429; nothing was posted", retryable: true },
    ],
    [
      "a server that fails",
      (response) => response.writeHead(502).end(),
      {
        error: "outcome unknown: the channel answered 502, and the text may be posted or not",
        reason: "OUTCOME_UNKNOWN",
      },
    ],
    [
      "a connection that breaks",
      (response) => response.destroy(),
      {
        error: "outcome unknown: the channel broke off its answer, and the text may be posted or not",
        reason: "OUTCOME_UNKNOWN",
      },
    ],
    [
      "a redirect",
      (response) => response.writeHead(307, { location: "http://127.0.0.1/5ecre7" }).end(),
      {
        error:
          "outcome unknown: the channel answered with a redirect, which is not followed, and the text may be posted or not",
        reason: "OUTCOME_UNKNOWN",
      },
    ],
  ])("%s", async (_, answer, expected) => {
    handle = (_request, response) => answer(response);
    const { value, text, isError } = await call({ channel: "team", text: "x" });
    expect([value, isError]).toEqual([expected, true]);
    expect(text).not.toMatch(/5ecre7|127\.0\.0\.1/);
    expect(received).toHaveLength(1);
  });

  it.each([
    ["nobody who listens", "http://127.0.0.1:1/5ecre7", "could not be reached", true],
    ["a metadata address", "http://169.254.169.254/5ecre7", "leads to an address that is never opened", false],
  ])("%s", async (_, url, problem, retryable) => {
    const { value } = await call({ channel: "hook", text: "x" }, house(["channel.send:*"], url));
    expect(value).toEqual({
      error: `the channel ${problem}; nothing was posted`,
      ...(retryable && { retryable: true }),
    });
  });
});

it("X1 a post that was in flight when the process died is not made again", async () => {
  const test = house(["channel.send:*"]);
  const task = test.task("writer", "go");
  handle = () => {};
  const dying = task.attempt();
  const lost = dying.tools.call("channel_send", { channel: "hook", text: "x" }, "c1").catch((error) => error);
  while (received.length === 0) await new Promise((resolve) => setImmediate(resolve));
  const { value } = await call({ channel: "hook", text: "x" }, test, task.attempt());
  expect(value).toMatchObject({ reason: "OUTCOME_UNKNOWN" });
  expect(received).toHaveLength(1);
  dying.abort();
  await lost;
});
