// cspell:ignore ecre
import { readFileSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { sendMessage } from "../support/daemon/a2a.js";
import { startDaemon } from "../support/daemon/start-daemon.js";
import { allTasks, resultOf, untilSaid, untilSettled } from "../support/daemon/watch.js";
import { startFakeAnthropic } from "../support/fake-providers/anthropic.js";
import type { AnswerTurn } from "../support/fake-providers/script.js";
import { Receiver } from "../support/receiver.js";

const exampleFile = (path: string): string => readFileSync(new URL(`../../examples/${path}`, import.meta.url), "utf8");

/** The example as it stands, on a free port and with its data elsewhere. */
const example = (name: string): object => {
  const { dataDir: _, server: __, ...config } = parse(exampleFile(`${name}/nuncio.yaml`));
  return config;
};

const promptFiles = Object.fromEntries(
  ["orchestrator", "researcher", "writer"].map((name) => {
    const path = `personas/${name}/system.md`;
    return [path, exampleFile(`orchestrator-model/${path}`)];
  }),
);

it("D15 the scripted example has a request researched, then written, and answers an A2A client with the post", async () => {
  const daemon = await startDaemon(example("orchestrator"));
  const task = await sendMessage(daemon.url, "orchestrator", { text: "Write a short post about AWS Lambda pricing" });
  expect(resultOf(task)).toContain("0.20 USD per million");
  const states = (await allTasks(daemon.client)).map(({ persona, state, trigger }) => [persona, state, trigger]);
  expect(states.sort()).toEqual([
    ["orchestrator", "completed", "a2a"],
    ["researcher", "completed", "delegation"],
    ["writer", "completed", "delegation"],
  ]);
});

it("D15 the example with models runs in full: awaited research on the web, then a writer, and both post to the channel", async () => {
  const delegate = (target_persona: string, message: string): AnswerTurn => ({
    tools: [{ name: "persona_send", args: { target_persona, message, await_reply: true } }],
  });
  const post = (text: string): AnswerTurn => ({
    tools: [{ name: "channel_send", args: { channel: "my-slack", text } }],
  });
  const web = await Receiver.start();
  onTestFinished(() => web.stop());
  const page = web.url("/tides", (_, response) => response.setHeader("content-type", "text/plain").end("twice a day"));
  const hook = web.url("/services/5ecre7");
  // Told by their prompts, as a model would tell them; each goes on with the results that it is shown.
  const provider = await startFakeAnthropic({
    turns: ({ body }) => {
      const { system, messages, tools } = body;
      const prompt = JSON.stringify(system);
      const isFor = (name: string) =>
        prompt.includes(JSON.stringify(promptFiles[`personas/${name}/system.md`]).slice(1, 40));
      const results = JSON.stringify(messages).split('"tool_result"').slice(1);
      const has = tools.map(({ name }: { name: string }) => name);
      if (isFor("researcher")) {
        expect(has).toEqual(["ask_caller", "net_http"]);
        if (results.length === 0) return { tools: [{ name: "net_http", args: { url: page } }] };
        expect(results[0]).toContain("said by the web server");
        return { text: `fact: tides turn ${/twice a day/.exec(results[0] ?? "")?.[0]}` };
      }
      if (isFor("writer")) {
        expect(has).toEqual(["ask_caller", "channel_send"]);
        return results.length === 0 ? post("draft: the tide is a clock") : { text: "post: the tide is a clock" };
      }
      expect(has).toContain("channel_send");
      return [
        delegate("researcher", "find facts on tides"),
        delegate("writer", "write from the facts"),
        post("done: the tide is a clock"),
        { text: `Here is the post (${/tides turn twice a day/.exec(results[0] ?? "")?.[0]}): the tide is a clock` },
      ][results.length] as AnswerTurn;
    },
  });
  onTestFinished(() => provider.close());
  const daemon = await startDaemon(
    {
      ...example("orchestrator-model"),
      providers: { anthropic: { type: "anthropic", baseURL: provider.url } },
      outbound: { allow: [web.pair] },
      channels: [{ name: "my-slack", type: "slack-webhook", url: hook }],
    },
    { files: promptFiles, env: { ANTHROPIC_API_KEY: "test-key" } },
  );

  const { id } = await daemon.client.send({ persona: "orchestrator", text: "Write a short post about tides" });
  const task = await untilSettled(daemon.client, id);
  expect([task.state, resultOf(task)]).toEqual([
    "completed",
    "Here is the post (tides turn twice a day): the tide is a clock",
  ]);
  const order = (await allTasks(daemon.client)).filter(({ parentId }) => parentId === id);
  expect(order.map(({ persona, state }) => [persona, state]).sort()).toEqual([
    ["researcher", "completed"],
    ["writer", "completed"],
  ]);
  expect(web.received.map(({ path, body }) => [path, body])).toEqual([
    ["/tides", ""],
    ["/services/5ecre7", { text: "draft: the tide is a clock" }],
    ["/services/5ecre7", { text: "done: the tide is a clock" }],
  ]);
  const { stderr } = await daemon.kill("SIGTERM");
  // What stays a name only is the skill; where the channel leads is told to nobody.
  expect(stderr.split("\n").filter((line) => /gives no tool|name only/.test(line))).toEqual([
    expect.stringContaining("web-search"),
  ]);
  expect(JSON.stringify([stderr, task, provider.requests.map(({ body }) => body)])).not.toContain("5ecre7");
});

it("E18 the workflow example asks the operator before it posts", async () => {
  const daemon = await startDaemon(example("workflow"));
  const { client } = daemon;
  const { id } = await client.send({ persona: "newsletter", text: "Tides" });
  await untilSaid(client, id, "Waiting for the operator's approval.");
  const [asked] = (await client.approvals({})).approvals;
  const text = "Did you know? Tides: the tide turns about every six hours.";
  expect(asked?.arguments).toEqual({ text: `May this be posted in the newsroom? ${text}` });
  await client.approve(asked?.id ?? "");
  expect((await untilSettled(client, id)).state).toBe("completed");
  expect(await daemon.logged(({ channel }) => channel === "newsroom")).toMatchObject({ text, taskId: id });
});
