// cspell:ignore ecre
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { getTask, sendMessage } from "../support/daemon/a2a.js";
import { startDaemon } from "../support/daemon/start-daemon.js";
import { allTasks, untilSaid, untilSettled } from "../support/daemon/watch.js";

/** A web server and a webhook in one, which answers when it is told to. */
async function startOutside() {
  const asked: string[] = [];
  const held: ServerResponse[] = [];
  let told: () => void = () => {};
  const server = createServer((request, response) => {
    request.resume();
    asked.push(request.url ?? "");
    held.push(response);
    told();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  const { port } = server.address() as AddressInfo;
  return {
    asked,
    pair: `127.0.0.1:${port}`,
    url: `http://127.0.0.1:${port}`,
    /** Resolves once there have been so many requests in all. */
    async until(count: number): Promise<void> {
      while (asked.length < count) {
        await new Promise<void>((resolve) => {
          told = resolve;
        });
      }
    },
    answer(text: string): void {
      for (const response of held.splice(0)) response.setHeader("content-type", "text/plain").end(text);
    },
  };
}

const config = (outside: { pair: string; url: string }) => ({
  queue: { backoffBaseMs: 1, backoffMaxMs: 1 },
  outbound: { allow: [outside.pair] },
  channels: [{ name: "team", type: "webhook", url: `${outside.url}/hook?token=5ecre7` }],
  personas: [
    {
      name: "flow",
      visibility: "public",
      runtime: "workflow",
      capabilities: { allow: ["persona.send:researcher", "net.http", "channel.send:team"] },
      nodes: [
        { id: "facts", persona: "researcher", with: { message: "about {{input.text}}" } },
        { id: "page", tool: "net_http", with: { url: `${outside.url}/page` }, needs: ["facts"] },
        { id: "check", approval: "post {{nodes.facts.output}}, {{nodes.page.output}}?", needs: ["page"] },
        {
          ...{ id: "post", tool: "channel_send", needs: ["check"] },
          with: { channel: "team", text: "{{nodes.facts.output}}, {{nodes.page.output}}" },
        },
      ],
    },
    {
      name: "poster",
      runtime: "workflow",
      capabilities: { allow: ["channel.send:team"] },
      nodes: [{ id: "post", tool: "channel_send", with: { channel: "team", text: "{{input.text}}" } }],
    },
    {
      name: "guarded",
      runtime: "workflow",
      nodes: [
        { id: "sure", approval: "sure?" },
        { id: "again", approval: "really?", needs: ["sure"] },
      ],
    },
    {
      name: "researcher",
      runtime: "scripted",
      script: [{ when: { turn: 1 }, steps: [{ ask: "Which sea?" }] }, { steps: [{ reply: "{{input.text}} facts" }] }],
    },
  ],
});

const ASKS_OPERATOR = "Waiting for the operator's approval.";

it("E18 X1 a workflow that is killed while it waits for a persona, in a tool, and for the operator goes on at that node", async () => {
  const outside = await startOutside();
  const daemon = await startDaemon(config(outside));
  const { client } = daemon;
  const killed = async () => {
    await daemon.kill("SIGKILL");
    await daemon.restart();
  };
  const open = async () => (await client.approvals({})).approvals;

  // On a persona, which asks: the question shows at the workflow, and the answer given to it reaches the persona.
  const asking = await sendMessage(daemon.url, "flow", { text: "tides" });
  expect([asking.status.state, asking.status.message?.parts[0]?.text]).toEqual([
    "TASK_STATE_INPUT_REQUIRED",
    "Which sea?",
  ]);
  await killed();
  await client.answer(asking.id, "North");

  // In a tool: it can be called again, and is. One that cannot has failed, and nobody posts twice.
  await outside.until(1);
  const posting = await client.send({ persona: "poster", text: "hello" });
  await outside.until(2);
  expect(outside.asked.toSorted()).toEqual(["/hook?token=5ecre7", "/page"]);
  await killed();
  await outside.until(3);
  outside.answer("high water at six");
  const lost = await untilSettled(client, posting.id);
  expect([lost.state, lost.statusMessage?.parts[0]?.text]).toEqual([
    "failed",
    expect.stringContaining("node post: outcome unknown"),
  ]);

  // On the operator.
  await untilSaid(client, asking.id, ASKS_OPERATOR);
  await killed();
  const [question] = await open();
  expect(question).toMatchObject({
    ...{ persona: "flow", taskId: asking.id, tool: "approve" },
    arguments: { text: "post North facts, high water at six?" },
  });
  expect((await getTask(daemon.url, "flow", asking.id)).status.state).toBe("TASK_STATE_WORKING");
  await client.approve(question?.id ?? "");
  await outside.until(4);
  outside.answer("ok");
  const done = await untilSettled(client, asking.id);
  expect([done.state, done.artifacts]).toEqual([
    "completed",
    [expect.objectContaining({ artifactId: "result", parts: [{ data: { channel: "team", status: "posted" } }] })],
  ]);
  expect(outside.asked.toSorted()).toEqual(["/hook?token=5ecre7", "/hook?token=5ecre7", "/page", "/page"]);
  expect((await allTasks(client)).filter(({ parentId }) => parentId === asking.id)).toHaveLength(1);

  // A denial fails the task, with the reason, and nothing behind it is asked.
  const { id } = await client.send({ persona: "guarded", text: "x" });
  await untilSaid(client, id, ASKS_OPERATOR);
  await client.deny((await open())[0]?.id ?? "", { reason: "not today" });
  const denied = await untilSettled(client, id);
  expect([denied.state, denied.statusMessage?.parts[0]?.text]).toEqual([
    "failed",
    "node sure: the operator has denied it: not today",
  ]);
  expect(await open()).toEqual([]);

  // R7: where a channel leads is in no log and no answer.
  const told = JSON.stringify([done, lost, await client.persona("flow"), (await daemon.kill("SIGTERM")).stderr]);
  expect(told).not.toContain("5ecre7");
});
